'use client'

import { useCallback, useState } from 'react'
import { useChain } from './ChainProvider.tsx'
import type { Call } from './sendCall.ts'
import { useTransactions } from './TransactionProvider.tsx'

interface Sender {
  isBusy: boolean
  /** Why the last one was not sent; null while all is well. */
  trouble: string | null
  /** Sends calls one after another, each once the one before is in a block. */
  send: (calls: readonly Call[]) => Promise<void>
}

export function useSend(): Sender {
  const chain = useChain()
  const { follow } = useTransactions()
  const [isBusy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState<string | null>(null)

  const send = useCallback(
    async (calls: readonly Call[]) => {
      if (chain === null) return
      setTrouble(null)
      setBusy(true)
      const { mined, sendCall } = await import('./sendCall.ts')
      for (const [index, call] of calls.entries()) {
        const sent = await sendCall(chain, call)
        if (!sent.ok) {
          setTrouble(sent.why)
          break
        }
        follow({ hash: sent.hash, what: call.what })
        const isLast = index === calls.length - 1
        if (!isLast && !(await mined(chain, sent.hash).catch(() => false))) break
      }
      setBusy(false)
    },
    [chain, follow],
  )
  return { isBusy, trouble, send }
}
