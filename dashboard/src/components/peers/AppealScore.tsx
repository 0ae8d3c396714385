'use client'

import { useEffect, useState } from 'react'
import type { Hex } from 'viem'
import { useAccount } from '#chain/AccountProvider.tsx'
import { useChain, useRoundClock } from '#chain/ChainProvider.tsx'
import type { OpenAppeal } from '#chain/calls/appealCalls.ts'
import { readUntilAnswered } from '#chain/readUntilAnswered.ts'
import { useTransactions } from '#chain/TransactionProvider.tsx'
import { useSend } from '#chain/useSend.ts'
import { type AppealableScore, appealLabel } from '#merge/appeals/appealLabel.ts'
import { formatCoin } from '#merge/formatTokens.ts'
import { ActionButton, Trouble } from '../ActionButton.tsx'

/** Rounds in which a case can wait for its second appeal. */
const LOOKED_BACK = 8

interface Props {
  peerKey: string
  /** Newest first. */
  settled: AppealableScore[]
}

/** Scores of a peer that can be appealed now, each with its bond. Anybody with an account may appeal. */
export function AppealScore({ peerKey, settled }: Props) {
  const chain = useChain()
  const { address } = useAccount()
  const { isBusy, trouble, send } = useSend()
  const open = useOpenAppeals(peerKey as Hex, settled)
  if (chain === null || address === null || open.length === 0) return null

  async function appeal(one: OpenAppeal) {
    if (chain === null) return
    const { appealCall } = await import('#chain/calls/appealCalls.ts')
    await send([appealCall(chain, peerKey as Hex, one)])
  }

  return (
    <section aria-labelledby="appeals" className="mt-10 rounded-cell border border-line bg-comb px-4 py-4">
      <h2 id="appeals" className="text-2xl">
        Doubt a score
      </h2>
      <p className="mt-2 max-w-prose text-soft">
        A larger jury scores the peer again. Half of the bond pays its seats, whatever they find. The other half comes
        back unless what was appealed stands in the end.
      </p>
      {settled.map(score => {
        const one = open.find(({ round }) => round === score.round)
        return (
          one && (
            <div key={one.round}>
              <ActionButton isBusy={isBusy} onClick={() => appeal(one)}>
                {appealLabel(score, one.level)}: bond {formatCoin(one.bondWei)} of the chain’s coin
              </ActionButton>
            </div>
          )
        )
      })}
      <Trouble text={trouble} />
    </section>
  )
}

function useOpenAppeals(peerKey: Hex, settled: Props['settled']): OpenAppeal[] {
  const chain = useChain()
  const clock = useRoundClock()
  const { minedCount } = useTransactions()
  const round = clock.state === 'running' ? clock.round : null
  const recent = settled.map(one => one.round).filter(one => round !== null && one >= round - LOOKED_BACK)
  const rounds = recent.join()
  const [open, setOpen] = useState<OpenAppeal[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: an own appeal closes one.
  useEffect(() => {
    if (chain === null || round === null || rounds === '') return setOpen([])
    return readUntilAnswered(async () => {
      const { readOpenAppeals } = await import('#chain/calls/appealCalls.ts')
      return readOpenAppeals(chain, peerKey, rounds.split(',').map(Number), round)
    }, setOpen)
  }, [chain, peerKey, rounds, round, minedCount])
  return open
}
