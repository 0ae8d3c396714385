import type { PeerKey } from '#core/hashes.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import type { EventReader } from '../rounds/roundEvents.ts'
import type { AppealCase } from './appeals.ts'

/** Rounds from an appeal to that in which its verdicts are revealed. */
const REVEALED_AFTER = 2

/** What a seat found: 0 to 1000, or `UNAVAILABLE`. */
export type RevealedVerdict = { seatKey: PeerKey; scoreMilli: number }

/** What the seats of an appeal found. */
export async function readVerdicts(
  { rpc }: ChainClient,
  { challenges }: Contracts,
  events: EventReader,
  { round, peerKey, level, openedRound }: Pick<AppealCase, 'round' | 'peerKey' | 'level' | 'openedRound'>,
): Promise<RevealedVerdict[]> {
  const revealed = { ...challenges, eventName: 'VerdictRevealed', args: { round: BigInt(round), peerKey } } as const
  const dueRound = openedRound + REVEALED_AFTER
  const logs = await events.inRounds({ first: dueRound, last: dueRound }, range =>
    rpc.getContractEvents({ ...revealed, strict: true, ...range }),
  )
  return logs
    .filter(({ args }) => args.level === level)
    .map(({ args: { seatKey, scoreMilli } }) => ({ seatKey, scoreMilli }))
}
