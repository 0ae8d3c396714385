import { MAX_APPEALS } from '@waggle/deployments/protocol'
import type { PeerKey } from '#core/hashes.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { challengeIntent } from './challengeIntent.ts'

/** Pays or slashes the seats of a closed case: one call for each jury. */
export type SeatsToJudge = { round: number; peerKey: PeerKey; level: number; positions: number[] }

/** The seats of a closed case that committed to a verdict and were not judged. Silent ones are never judged. */
export async function readSeatsToJudge(
  { rpc, rpcUrl }: ChainClient,
  { challenges }: Contracts,
  { round, peerKey }: { round: number; peerKey: PeerKey },
): Promise<SeatsToJudge[]> {
  const levels = Array.from({ length: MAX_APPEALS }, (_, at) => at + 1)
  const left = await callChain(rpcUrl, () =>
    Promise.all(
      levels.map(level =>
        rpc.readContract({ ...challenges, functionName: 'leftToJudge', args: [BigInt(round), peerKey, level] }),
      ),
    ),
  )
  return levels.flatMap((level, at) => {
    const positions = placesIn(left[at] ?? 0n)
    return positions.length === 0 ? [] : [{ round, peerKey, level, positions }]
  })
}

/** The places of the bits that are set. */
function placesIn(word: bigint): number[] {
  return [...word.toString(2)].reverse().flatMap((bit, place) => (bit === '1' ? [place] : []))
}

export function judgeSeats(contracts: Contracts, { round, peerKey, level, positions }: SeatsToJudge): OutboxIntent {
  const args = [BigInt(round), peerKey, level, positions] as const
  return challengeIntent(contracts, `${round}:${peerKey}:${level}:${positions.join('.')}`, 'judgeSeats', args)
}
