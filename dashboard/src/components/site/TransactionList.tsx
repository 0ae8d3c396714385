'use client'

import { useChainAccess } from '#chain/ChainProvider.tsx'
import { useTransactions } from '#chain/TransactionProvider.tsx'
import type { Transaction } from '#chain/transactions.ts'
import { shorten } from '#merge/format.ts'

const says: Record<Transaction['state'], { text: string; tone: string }> = {
  waiting: { text: 'waiting for a block', tone: 'text-honey-ink' },
  mined: { text: 'done', tone: 'text-leaf' },
  reverted: { text: 'refused by the contract', tone: 'text-thorn' },
  replaced: { text: 'replaced in the wallet', tone: 'text-thorn' },
}

/** Transactions that this browser sent, newest first. They are kept over a reload. */
export function TransactionList() {
  const { network } = useChainAccess()
  const { list, forgetAll } = useTransactions()
  if (list.length === 0) return null
  // Fixed position, so that pending transactions are visible everywhere on the page.
  const isWaiting = list.some(({ state }) => state === 'waiting')
  return (
    <aside
      aria-label="Your transactions"
      className={`mx-auto mb-10 w-full max-w-6xl px-4 sm:px-6 ${isWaiting ? 'sticky bottom-2 z-10' : ''}`}
    >
      <div
        className={`rounded-cell border border-line bg-comb px-4 py-3 ${isWaiting ? 'max-h-36 overflow-y-auto shadow-lg' : ''}`}
      >
        <div className="flex items-baseline justify-between gap-4">
          <h2 className="text-lg">Your transactions</h2>
          <button type="button" className="min-h-6 text-sm text-soft underline" onClick={forgetAll}>
            Forget them
          </button>
        </div>
        <ul aria-live="polite" className="mt-1">
          {list.map(({ hash, what, state }) => (
            <li key={hash} className="flex flex-wrap items-baseline gap-x-4 border-t border-line py-2 text-sm">
              <span className="min-w-0 flex-1 break-words max-sm:w-full max-sm:flex-none">{what}</span>
              <TransactionHash hash={hash} explorerUrl={network?.explorerUrl ?? null} />
              <span className={`font-medium ${says[state].tone}`}>{says[state].text}</span>
            </li>
          ))}
        </ul>
      </div>
    </aside>
  )
}

function TransactionHash({ hash, explorerUrl }: { hash: string; explorerUrl: string | null }) {
  const shown = (
    <span className="figures" title={hash}>
      {shorten(hash)}
    </span>
  )
  return explorerUrl === null ? shown : <a href={`${explorerUrl}/tx/${hash}`}>{shown}</a>
}
