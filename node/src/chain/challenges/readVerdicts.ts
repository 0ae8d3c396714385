import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import type { EventReader } from '../rounds/roundEvents.ts'
import type { AppealCase } from './appeals.ts'

/** Rounds from an appeal to that in which its verdicts are revealed. */
const REVEALED_AFTER = 2

/** What the seats of a case's newest appeal found: 0 to 1000, or `UNAVAILABLE`. */
export async function readVerdicts(
  { rpc }: ChainClient,
  { challenges }: Contracts,
  events: EventReader,
  { round, peerKey, level, openedRound }: Pick<AppealCase, 'round' | 'peerKey' | 'level' | 'openedRound'>,
): Promise<number[]> {
  const revealed = { ...challenges, eventName: 'VerdictRevealed', args: { round: BigInt(round), peerKey } } as const
  const dueRound = openedRound + REVEALED_AFTER
  const logs = await events.inRounds({ first: dueRound, last: dueRound }, range =>
    rpc.getContractEvents({ ...revealed, strict: true, ...range }),
  )
  return logs.filter(({ args }) => args.level === level).map(({ args }) => args.scoreMilli)
}
