'use client'

import { useCallback, useState } from 'react'
import { useChain } from './ChainProvider.tsx'
import type { Call } from './sendCall.ts'
import { useTransactions } from './TransactionProvider.tsx'
import { waitingOf } from './transactions.ts'

interface Sender {
  isBusy: boolean
  /** Reason why the last transaction was not done; null while all is well. */
  trouble: string | null
  /**
   * Sends calls one after another, each once the one before is in a block. Busy while they are made, and until the last is in a block.
   *
   * @returns whether all were done.
   */
  send: (calls: readonly Call[] | (() => Promise<readonly Call[]>)) => Promise<boolean>
}

export function useSend(): Sender {
  const chain = useChain()
  const { list, follow } = useTransactions()
  const [isBusy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState<string | null>(null)

  const send = useCallback(
    async (make: readonly Call[] | (() => Promise<readonly Call[]>)) => {
      if (chain === null) return false
      setTrouble(null)
      setBusy(true)
      const why = await import('./sendCall.ts').then(
        ({ sendInOrder }) => sendInOrder(chain, make, follow, call => waitingOf(list, call)),
        () => 'This server does not answer.',
      )
      setTrouble(why)
      setBusy(false)
      return why === null
    },
    [chain, list, follow],
  )
  return { isBusy, trouble, send }
}
