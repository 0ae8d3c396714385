import { settlementOutcomes } from '@waggle/deployments/protocol'
import type { PeerKey } from '#core/hashes.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { LAST_AFTER } from '../rounds/readPeerRound.ts'
import type { EventReader } from '../rounds/roundEvents.ts'
import type { SettlementOutcome } from '../votes/readSettlements.ts'

/** An event's place on the chain: its block, and its number among the events of that block. */
export type LogPlace = { block: number; logIndex: number }

export const placeOf = ({ blockNumber, logIndex }: Pick<ChallengeLog, 'blockNumber' | 'logIndex'>): LogPlace => ({
  block: Number(blockNumber),
  logIndex,
})

/** Rulings on a peer's round, in the order of the chain. `level`: 1 for a first appeal, 2 for a second one. */
export type Ruling = { peerKey: PeerKey } & (
  | { kind: 'lost'; outcome: 'false leaf' | 'withheld' }
  | ({ kind: 'appealed'; level: number; drawn: number } & LogPlace)
  | { kind: 'verdict'; level: number; seatKey: PeerKey; scoreMilli: number }
  | { kind: 'closed'; outcome: SettlementOutcome; scoreMilli: number; isMoot: boolean }
)

/** Rounds after an appeal's usual end in which its closing is still looked for: payloads are kept no longer. */
const LATEST_AFTER = 200

/**
 * Rulings of challenges and appeals on the scores of a round, with the verdicts of juries; in the order of the chain. A demand for a leaf that
 * is closed more than {@link LAST_AFTER} rounds later is left out.
 */
export async function readRulings(
  { rpc }: ChainClient,
  { challenges }: Contracts,
  events: EventReader,
  round: number,
): Promise<Ruling[]> {
  const read = (rounds: { first: number; last: number }) =>
    events.inRounds(rounds, async range => {
      const logs = await rpc.getContractEvents({ ...challenges, strict: true, ...range })
      return logs.flatMap(log => {
        const found = rulingOf(log)
        return found?.round === round ? found.ruling : []
      })
    })
  const rulings = await read({ first: round, last: round + LAST_AFTER })
  const closed = new Set(rulings.flatMap(({ kind, peerKey }) => (kind === 'closed' ? peerKey : [])))
  if (rulings.every(({ kind, peerKey }) => kind !== 'appealed' || closed.has(peerKey))) return rulings
  return [...rulings, ...(await read({ first: round + LAST_AFTER + 1, last: round + LATEST_AFTER }))]
}

/** An event of the contract that rules on challenges. */
type ChallengeLog = { eventName: string; args: object; blockNumber: bigint; logIndex: number }
type RulingLog = { args: { round: bigint; peerKey: PeerKey } } & (
  | { eventName: 'LeafFalse' | 'LeafWithheld' }
  | { eventName: 'AppealOpened'; args: { level: number; drawn: number } }
  | { eventName: 'VerdictRevealed'; args: { level: number; seatKey: PeerKey; scoreMilli: number } }
  | { eventName: 'AppealClosed'; args: { outcome: number; scoreMilli: number; isMoot: boolean } }
)

/** The ruling of an event, and its round; null if it is another event. */
export function rulingOf(log: ChallengeLog): { round: number; ruling: Ruling } | null {
  const { eventName, args } = log as ChallengeLog & RulingLog
  const ruled = (ruling: Ruling) => ({ round: Number(args.round), ruling })
  const { peerKey } = args
  switch (eventName) {
    case 'LeafFalse':
      return ruled({ kind: 'lost', peerKey, outcome: 'false leaf' })
    case 'LeafWithheld':
      return ruled({ kind: 'lost', peerKey, outcome: 'withheld' })
    case 'AppealOpened':
      return ruled({ kind: 'appealed', ...args, ...placeOf(log) })
    case 'VerdictRevealed':
      return ruled({ kind: 'verdict', ...args })
    case 'AppealClosed':
      return ruled({ kind: 'closed', ...args, outcome: settlementOutcomes[args.outcome] ?? 'none' })
    default:
      return null
  }
}
