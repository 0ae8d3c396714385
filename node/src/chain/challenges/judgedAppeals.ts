import type { PeerKey } from '#core/hashes.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import type { EventReader } from '../rounds/roundEvents.ts'
import { REVEALED_AFTER } from './appeals.ts'

/** A first appeal, and what the seats of its jury found: 0 to 1000, or `UNAVAILABLE`. */
export type JudgedAppeal = { round: number; peerKey: PeerKey; drawn: number; verdicts: number[] }

/** The first appeals whose verdicts were revealed in some rounds. */
export async function readJudgedAppeals(
  { rpc }: ChainClient,
  { challenges }: Contracts,
  events: EventReader,
  rounds: { first: number; last: number },
): Promise<JudgedAppeal[]> {
  const opened = { first: rounds.first - REVEALED_AFTER, last: rounds.last - REVEALED_AFTER }
  const appeals = await events.inRounds(opened, range =>
    rpc.getContractEvents({ ...challenges, eventName: 'AppealOpened', strict: true, ...range }),
  )
  const judged = new Map<string, JudgedAppeal>()
  for (const { args } of appeals) {
    const { round, peerKey, level, drawn } = args
    if (level === 1) judged.set(`${round}:${peerKey}`, { round: Number(round), peerKey, drawn, verdicts: [] })
  }
  if (judged.size === 0) return []
  const revealed = await events.inRounds(rounds, range =>
    rpc.getContractEvents({ ...challenges, eventName: 'VerdictRevealed', strict: true, ...range }),
  )
  for (const { args } of revealed) {
    if (args.level === 1) judged.get(`${args.round}:${args.peerKey}`)?.verdicts.push(args.scoreMilli)
  }
  return [...judged.values()]
}
