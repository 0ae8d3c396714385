'use client'

import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react'
import type { Hex } from 'viem'
import { browserStore } from './browserStore.ts'
import { type Chain, useChainAccess } from './ChainProvider.tsx'
import { readUntilAnswered } from './readUntilAnswered.ts'
import { type Outcome, parseTransactions, type Transaction, withOutcome, withTransaction } from './transactions.ts'

export interface Transactions {
  list: readonly Transaction[]
  /** Number of transactions mined while this page was open: components that read the chain reload when it changes. */
  minedCount: number
  /** Follows a transaction until it is mined, in later visits too. */
  follow: (sent: Omit<Transaction, 'state'>) => void
  forgetAll: () => void
}

const TransactionContext = createContext<Transactions>({
  list: [],
  minedCount: 0,
  follow: () => undefined,
  forgetAll: () => undefined,
})

/** Signing and following calls is most of the chain code: visitors who send nothing never load it. */
async function outcome(open: () => Promise<Chain>, hash: Hex): Promise<Outcome> {
  const [chain, { outcomeOf }] = await Promise.all([open(), import('./sendCall.ts')])
  return outcomeOf(chain, hash)
}

/** Transactions sent from this browser, stored in it by deployment. */
export function TransactionProvider({ children }: { children: ReactNode }) {
  const { network, open } = useChainAccess()
  const [list, setList] = useState<readonly Transaction[]>([])
  const [minedCount, setMinedCount] = useState(0)
  const watched = useRef(new Set<string>())
  const storageKey = network && `waggle.sent.${network.chainId}.${network.peerRegistry}`

  const change = useCallback(
    (make: (before: readonly Transaction[]) => readonly Transaction[]) =>
      setList(before => {
        const after = make(before)
        if (storageKey !== null) browserStore.setItem(storageKey, JSON.stringify(after))
        return after
      }),
    [storageKey],
  )

  useEffect(() => {
    if (storageKey === null) return
    const read = () => setList(parseTransactions(browserStore.getItem(storageKey)))
    // All tabs share the list. A storage event without a key means that everything was cleared.
    const onStorage = ({ key }: StorageEvent) => {
      if (key === storageKey || key === null) read()
    }
    read()
    window.addEventListener('storage', onStorage)
    return () => window.removeEventListener('storage', onStorage)
  }, [storageKey])

  useEffect(() => {
    for (const sent of list) {
      if (sent.state !== 'waiting' || watched.current.has(sent.hash)) continue
      watched.current.add(sent.hash)
      readUntilAnswered(
        () => outcome(open, sent.hash),
        state => {
          change(before => withOutcome(before, sent.hash, state))
          setMinedCount(count => count + 1)
        },
      )
    }
  }, [open, list, change])

  const follow = useCallback<Transactions['follow']>(
    sent => change(before => withTransaction(before, { ...sent, state: 'waiting' })),
    [change],
  )
  const forgetAll = useCallback(() => {
    setList([])
    if (storageKey !== null) browserStore.removeItem(storageKey)
  }, [storageKey])

  return <TransactionContext value={{ list, minedCount, follow, forgetAll }}>{children}</TransactionContext>
}

export function useTransactions(): Transactions {
  return useContext(TransactionContext)
}
