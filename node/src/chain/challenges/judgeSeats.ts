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

/** Events of seats that were judged are read within this many rounds of a case's own; it can be closed nine rounds after it at the latest. */
const LAST_JUDGED_AFTER = 24

/** Pays or slashes the seats of a closed case: one call for each part of a jury. */
export type SeatsToJudge = { round: number; peerKey: PeerKey; level: number; positions: number[] }

/**
 * The seats of a closed case that committed to a verdict, and that the chain has neither paid nor blamed. Silent ones are never judged. A seat whose
 * verdict has no consequence comes back although it was judged: the chain has no event of that.
 */
export async function readSeatsToJudge(
  { rpc }: ChainClient,
  { challenges }: Contracts,
  events: EventReader,
  { round, peerKey }: { round: number; peerKey: PeerKey },
): Promise<SeatsToJudge[]> {
  const of = { ...challenges, args: { round: BigInt(round), peerKey }, strict: true } as const
  const [committed, judged] = await Promise.all([
    events.inRounds({ first: round, last: round + LAST_APPEAL_AFTER + 1 }, range =>
      rpc.getContractEvents({ ...of, eventName: 'VerdictCommitted', ...range }),
    ),
    events.inRounds({ first: round, last: round + LAST_JUDGED_AFTER }, async range => [
      ...(await rpc.getContractEvents({ ...of, eventName: 'SeatPaid', ...range })),
      ...(await rpc.getContractEvents({ ...of, eventName: 'SeatBlamed', ...range })),
    ]),
  ])
  const seatOf = ({ args: { level, seatKey } }: { args: { level: number; seatKey: PeerKey } }) => `${level}:${seatKey}`
  const done = new Set(judged.map(seatOf))
  const left = committed.filter(one => !done.has(seatOf(one)))
  return [1, 2].flatMap(level => {
    const positions = left.filter(one => one.args.level === level).map(one => one.args.position)
    return chunks(positions.sort((a, b) => a - b)).map(positions => ({ round, peerKey, level, positions }))
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
