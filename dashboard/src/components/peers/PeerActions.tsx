'use client'

import { useEffect, useState } from 'react'
import type { Hex } from 'viem'
import { useAccount } from '#chain/AccountProvider.tsx'
import { useChain, useRoundClock } from '#chain/ChainProvider.tsx'
import {
  claimNectar,
  type HeldStake,
  moveStake,
  type PeerFunds,
  readFunds,
  stakeCalls,
} from '#chain/calls/peerCalls.ts'
import { readUntilAnswered } from '#chain/readUntilAnswered.ts'
import { useTransactions } from '#chain/TransactionProvider.tsx'
import { useSend } from '#chain/useSend.ts'
import { exactTokens, formatTokens } from '#merge/formatTokens.ts'
import { ActionButton, Trouble } from '../ActionButton.tsx'

/** Actions of a peer's owner with the peer's Nectar. */
export function PeerActions({ peerKey }: { peerKey: string }) {
  const { peers } = useAccount()
  return peers?.keys.has(peerKey.toLowerCase()) ? <Actions peerKey={peerKey as Hex} /> : null
}

function Actions({ peerKey }: { peerKey: Hex }) {
  const chain = useChain()
  const { address } = useAccount()
  const { isBusy, trouble, send } = useSend()
  const funds = useFunds(peerKey)
  if (chain === null || address === null || funds === null) return null
  return (
    <section aria-labelledby="actions" className="mt-10 rounded-cell border border-line bg-comb px-4 py-4">
      <h2 id="actions" className="text-2xl">
        Your peer
      </h2>
      <dl className="mt-2 grid gap-x-10 gap-y-4 sm:grid-cols-3">
        <div>
          <dt className="text-sm text-soft">Nectar to claim</dt>
          <dd>
            <span className="figures text-xl font-semibold">{formatTokens(funds.claimableWei)}</span>
            <br />
            <ActionButton
              isBusy={isBusy}
              isOff={funds.claimableWei === 0n}
              onClick={() => send([claimNectar(chain, peerKey)])}
            >
              Claim
            </ActionButton>
          </dd>
        </div>
        {funds.stakes.map(held => (
          <div key={held.duty}>
            <dt className="text-sm text-soft">Staked as {held.duty}</dt>
            <dd>
              <span className="figures text-xl font-semibold">{formatTokens(held.amountWei)}</span>
              <br />
              <StakeButtons
                held={held}
                isBusy={isBusy}
                onStake={() => send(() => stakeCalls(chain, address, held, peerKey))}
                onMove={kind => send([moveStake(chain, kind, held.duty, peerKey)])}
              />
            </dd>
          </div>
        ))}
      </dl>
      <Trouble text={trouble} />
    </section>
  )
}

interface StakeButtonsProps {
  held: HeldStake
  isBusy: boolean
  onStake: () => Promise<unknown>
  onMove: (kind: 'unstake' | 'withdraw') => Promise<unknown>
}

function StakeButtons({ held, isBusy, onStake, onMove }: StakeButtonsProps) {
  const { amountWei, missingWei, freeFromRound } = held
  const clock = useRoundClock()
  if (freeFromRound !== null) {
    const isFree = clock.state === 'running' && clock.round >= freeFromRound
    return (
      <ActionButton isBusy={isBusy} isOff={!isFree} onClick={() => onMove('withdraw')}>
        Withdraw {formatTokens(amountWei)} from round {freeFromRound} on
      </ActionButton>
    )
  }
  return (
    <>
      {missingWei > 0n && (
        <ActionButton isBusy={isBusy} onClick={onStake}>
          Stake {exactTokens(missingWei)} Nectar
        </ActionButton>
      )}{' '}
      {amountWei > 0n && (
        <ActionButton isBusy={isBusy} onClick={() => onMove('unstake')}>
          Unstake
        </ActionButton>
      )}
    </>
  )
}

function useFunds(peerKey: Hex): PeerFunds | null {
  const chain = useChain()
  const clock = useRoundClock()
  const round = clock.state === 'running' ? clock.round : null
  const { minedCount } = useTransactions()
  const [funds, setFunds] = useState<PeerFunds | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: funds change with own transactions and with each round.
  useEffect(() => {
    if (chain === null) return
    return readUntilAnswered(() => readFunds(chain, peerKey), setFunds)
  }, [chain, peerKey, minedCount, round])
  return funds
}
