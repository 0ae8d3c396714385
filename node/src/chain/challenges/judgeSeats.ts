import { MAX_APPEALS, phase } from '@waggle/deployments/protocol'
import type { PeerKey } from '#core/hashes.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import type { EventReader } from '../rounds/roundEvents.ts'
import { challengeIntent } from './challengeIntent.ts'

/** Seats that are judged in one call. */
const JUDGED_AT_ONCE = 32

/** Appeals of a case come within this many rounds of its own. */
const LAST_APPEAL_AFTER = MAX_APPEALS * phase.settling

/** Pays or slashes the seats of a closed case: one call for each part of a jury. */
export type SeatsToJudge = { round: number; peerKey: PeerKey; level: number; positions: number[] }

/** The seats of all appeals of a case that committed to a verdict: silent ones are neither paid nor slashed. */
export async function readSeatsToJudge(
  { rpc }: ChainClient,
  { challenges }: Contracts,
  events: EventReader,
  { round, peerKey }: { round: number; peerKey: PeerKey },
): Promise<SeatsToJudge[]> {
  const args = { round: BigInt(round), peerKey }
  const rounds = { first: round, last: round + LAST_APPEAL_AFTER + 1 }
  const committed = await events.inRounds(rounds, range =>
    rpc.getContractEvents({ ...challenges, eventName: 'VerdictCommitted', args, strict: true, ...range }),
  )
  return [1, 2].flatMap(level => {
    const came = committed.filter(one => one.args.level === level).map(one => one.args.position)
    return chunks(came.sort((a, b) => a - b)).map(positions => ({ round, peerKey, level, positions }))
  })
}

function chunks(positions: readonly number[]): number[][] {
  const count = Math.ceil(positions.length / JUDGED_AT_ONCE)
  return Array.from({ length: count }, (_, at) => positions.slice(at * JUDGED_AT_ONCE, (at + 1) * JUDGED_AT_ONCE))
}

export function judgeSeats(contracts: Contracts, { round, peerKey, level, positions }: SeatsToJudge): OutboxIntent {
  const args = [BigInt(round), peerKey, level, positions] as const
  return challengeIntent(contracts, `${round}:${peerKey}:${level}:${positions.join('.')}`, 'judgeSeats', args)
}
