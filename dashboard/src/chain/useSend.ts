'use client'

import { useCallback, useState } from 'react'
import { useChain } from './ChainProvider.tsx'
import type { Call } from './sendCall.ts'
import { useTransactions } from './TransactionProvider.tsx'

interface Sender {
  isBusy: boolean
  /** Reason why the last transaction was not sent; null while all is well. */
  trouble: string | null
  /** Sends calls one after another, each once the one before is in a block. Busy also while they are made. */
  send: (calls: readonly Call[] | (() => Promise<readonly Call[]>)) => Promise<void>
}

export function useSend(): Sender {
  const chain = useChain()
  const { follow } = useTransactions()
  const [isBusy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState<string | null>(null)

  const send = useCallback(
    async (make: readonly Call[] | (() => Promise<readonly Call[]>)) => {
      if (chain === null) return
      setTrouble(null)
      setBusy(true)
      setTrouble(
        await import('./sendCall.ts').then(
          ({ sendInOrder }) => sendInOrder(chain, make, follow),
          () => 'This server does not answer.',
        ),
      )
      setBusy(false)
    },
    [chain, follow],
  )
  return { isBusy, trouble, send }
}
