'use client'

import { useEffect, useState } from 'react'
import type { Hex } from 'viem'
import { useAccount } from '#chain/AccountProvider.tsx'
import { useChain, useRoundClock } from '#chain/ChainProvider.tsx'
import type { CommittedWork, Specification } from '#chain/calls/demandCalls.ts'
import { readUntilAnswered } from '#chain/readUntilAnswered.ts'
import { useTransactions } from '#chain/TransactionProvider.tsx'
import { useSend } from '#chain/useSend.ts'
import { formatCoin } from '#merge/formatTokens.ts'
import { ActionButton, Trouble } from '../ActionButton.tsx'

interface Props {
  peerKey: string
  /** Its last commitments, newest first. */
  committed: CommittedWork[]
}

/** Demands of a peer's answers that the connected account can make now, each with its bond, and the account's credit from earlier ones. */
export function DemandLeaf({ peerKey, committed }: Props) {
  const chain = useChain()
  const clock = useRoundClock()
  const { address } = useAccount()
  const { isBusy, trouble, send } = useSend()
  const [terms, setTerms] = useTerms()
  if (chain === null || address === null || terms === null || clock.state !== 'running') return null
  const open = committed.filter(({ round }) => round < clock.round && round >= clock.round - terms.demandedFor)
  const { bondWei, creditWei, specification } = terms
  const onRisen = (bondWei: bigint) => setTerms({ ...terms, bondWei })
  const isShown = open.length > 0 && specification !== null
  if (!isShown && creditWei === 0n) return null

  async function demand(work: CommittedWork, { bytes, places }: Specification) {
    if (chain === null) return
    const { demandCall } = await import('#chain/calls/demandCalls.ts')
    const sampled = { specification: bytes, place: randomBelow(places) }
    await send([demandCall(chain, peerKey as Hex, work, sampled, { bondWei, onRisen })])
  }
  async function withdraw() {
    if (chain === null || address === null) return
    const { withdrawCall } = await import('#chain/calls/demandCalls.ts')
    await send([withdrawCall(chain, address)])
  }

  return (
    <section aria-labelledby="demands" className="mt-10 rounded-cell border border-line bg-comb px-4 py-4">
      <h2 id="demands" className="text-2xl">
        Demand an answer
      </h2>
      <p className="mt-2 max-w-prose text-soft">
        Does no peer serve this peer’s answers? It must show one of those that are scored, drawn at random, on the chain
        by the end of the next round, or loses its round. The bond comes back, less the gas of the answer.
      </p>
      {specification !== null &&
        open.map(work => (
          <div key={work.round}>
            <ActionButton isBusy={isBusy} onClick={() => demand(work, specification)}>
              Demand an answer of round {work.round}: bond {formatCoin(bondWei)} of the chain’s coin
            </ActionButton>
          </div>
        ))}
      {creditWei > 0n && (
        <ActionButton isBusy={isBusy} onClick={() => withdraw()}>
          Withdraw {formatCoin(creditWei)} of the chain’s coin
        </ActionButton>
      )}
      <Trouble text={trouble} />
    </section>
  )
}

/** Not for secrets: any of the places will do, and nobody can tell which comes next. */
function randomBelow(end: number): number {
  const [word = 0] = crypto.getRandomValues(new Uint32Array(1))
  return word % end
}

interface Terms {
  bondWei: bigint
  creditWei: bigint
  specification: Specification | null
  demandedFor: number
}

/** Current bond of a demand; null until it is known. */
function useTerms(): [Terms | null, (terms: Terms) => void] {
  const chain = useChain()
  const clock = useRoundClock()
  const { address } = useAccount()
  const { minedCount } = useTransactions()
  const round = clock.state === 'running' ? clock.round : null
  const [terms, setTerms] = useState<Terms | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another account is owed something else, also before that is read.
  useEffect(() => setTerms(null), [chain, address])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is owed changes with rounds and own transactions.
  useEffect(() => {
    if (chain === null || address === null) return
    return readUntilAnswered(async () => {
      const { DEMANDED_FOR, readDemandBond, readChallengeCredit, readSpecification } = await import(
        '#chain/calls/demandCalls.ts'
      )
      return {
        demandedFor: DEMANDED_FOR,
        bondWei: await readDemandBond(chain),
        creditWei: await readChallengeCredit(chain, address),
        specification: await readSpecification().catch(() => null),
      }
    }, setTerms)
  }, [chain, address, round, minedCount])
  return [terms, setTerms]
}
