import { phase } from '@waggle/deployments/protocol'
import type { PeerKey } from '#core/hashes.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { settlementOutcomes } from '../votes/readSettlements.ts'
import type { EventReader } from './roundEvents.ts'

/** Rounds after its own in which something may happen to a peer's round, unless a case is left open for long. */
const LAST_AFTER = 16

type ChallengeEvent =
  | 'LeafDemanded'
  | 'LeafShown'
  | 'LeafWithheld'
  | 'LeafFalse'
  | 'AppealOpened'
  | 'VerdictRevealed'
  | 'AppealClosed'
  | 'SeatPaid'
  | 'SeatBlamed'
type OpeningEvent = 'ComponentOpened' | 'OpeningsClosed' | 'TaskPaid' | 'SecretWithheld'
type EventFilter = { evaluatorKey: PeerKey } | { proposerKey: PeerKey } | { seatKey: PeerKey } | { shard: number[] }

/** Faults of a seat, by the event's number. */
const faults = ['sealed', 'overturned'] as const

/** Events of one peer's part in a round, except its commitment and the votes on it; in the order of the chain. */
export type PeerRound = Awaited<ReturnType<typeof readPeerRound>>

/** Challenges of the peer's answers, what it did as an evaluator, and the outcome of its tasks. */
export async function readPeerRound(
  { rpc }: ChainClient,
  { rolloutCommitments, rewardVotes, challenges, openings }: Contracts,
  events: EventReader,
  round: number,
  peerKey: PeerKey,
) {
  const of = BigInt(round)
  // viem cannot infer that all events of a variable name index these.
  const filter = { round: of, peerKey } as never
  const filterOf = (args: EventFilter) => ({ round: of, ...args }) as never
  const before = { first: round + phase.promising, last: round + phase.proposing }
  const after = { first: round, last: round + LAST_AFTER }
  const proposal = <E extends 'SecretCommitted' | 'TasksProposed'>(eventName: E) =>
    events.inRounds(before, range =>
      rpc.getContractEvents({ ...rolloutCommitments, eventName, args: filter, strict: true, ...range }),
    )
  const challenge = <E extends ChallengeEvent>(eventName: E, args = filter) =>
    events.inRounds(after, range => rpc.getContractEvents({ ...challenges, eventName, args, strict: true, ...range }))
  const opening = <E extends OpeningEvent>(eventName: E, args: EventFilter) =>
    events.inRounds(after, range =>
      rpc.getContractEvents({ ...openings, eventName, args: filterOf(args), strict: true, ...range }),
    )
  const [secrets, tasks, sealed, opened, paid, kept] = await Promise.all([
    proposal('SecretCommitted'),
    proposal('TasksProposed'),
    events.inRounds({ first: round + phase.voting, last: round + phase.voting }, range =>
      rpc.getContractEvents({
        ...rewardVotes,
        eventName: 'VotesCommitted',
        args: { round: of },
        strict: true,
        ...range,
      }),
    ),
    opening('ComponentOpened', { evaluatorKey: peerKey }),
    opening('TaskPaid', { proposerKey: peerKey }),
    opening('SecretWithheld', { proposerKey: peerKey }),
  ])
  const [demanded, shown, withheld, falseLeaves, appealed, verdicts, closed] = await Promise.all([
    challenge('LeafDemanded'),
    challenge('LeafShown'),
    challenge('LeafWithheld'),
    challenge('LeafFalse'),
    challenge('AppealOpened'),
    challenge('VerdictRevealed'),
    challenge('AppealClosed'),
  ])
  const asSeat = filterOf({ seatKey: peerKey })
  const [judged, seatPaid, blamed, missed] = await Promise.all([
    challenge('VerdictRevealed', asSeat),
    challenge('SeatPaid', asSeat),
    challenge('SeatBlamed', asSeat),
    events.inRounds(after, range =>
      rpc.getContractEvents({
        ...rewardVotes,
        eventName: 'EvaluatorMissed',
        args: filterOf({ evaluatorKey: peerKey }),
        strict: true,
        ...range,
      }),
    ),
  ])
  const shards = [...new Set(opened.map(({ args }) => args.shard))]
  const shardsClosed = shards.length === 0 ? [] : await opening('OpeningsClosed', { shard: shards })
  return {
    hasSecret: secrets.length > 0,
    /** Number of tasks of each proposal. */
    tasks: tasks.map(({ args }) => args.count),
    /** Sealed ballots of all evaluators. */
    sealed: sealed.map(({ args: { evaluatorKey, shard } }) => ({ evaluatorKey, shard })),
    demanded: demanded.map(({ args: { index, throughRound } }) => ({ index, throughRound: Number(throughRound) })),
    shown: shown.map(({ args: { index } }) => index),
    withheld: withheld.map(({ args: { index } }) => index),
    falseLeaves: falseLeaves.map(({ args: { index } }) => index),
    appealed: appealed.map(({ args: { level, drawn, appellant } }) => ({ level, drawn, appellant })),
    verdicts: verdicts.map(({ args: { level, seatKey, scoreMilli } }) => ({ level, seatKey, scoreMilli })),
    closed: closed.map(({ args: { outcome, scoreMilli, settledMilli, isMoot } }) => ({
      ...{ outcome: settlementOutcomes[outcome] ?? 'none', scoreMilli, settledMilli, isMoot },
    })),
    /** Its verdicts as a seat on appeals of others' scores, its pay for them, and its faults; level 0 is a committee. */
    judged: judged.map(({ args: { peerKey: of, level, scoreMilli } }) => ({ peerKey: of, level, scoreMilli })),
    seatPaid: seatPaid.map(({ args: { peerKey: of, level, paidWei } }) => ({ peerKey: of, level, paidWei })),
    blamed: blamed.map(({ args: { peerKey: of, level, fault } }) => ({
      ...{ peerKey: of, level, fault: faults[fault] ?? null },
    })),
    /** Misses in a row as of this round; null if it missed nothing in it. */
    misses: missed.at(-1)?.args.misses ?? null,
    /** Its openings as a seat, and its pay for them, wei; null while the shard is not closed. */
    opened: opened.map(({ args: { shard, position, index, scoreMilli } }) => {
      const closing = shardsClosed.find(({ args }) => args.shard === shard)?.args
      return { shard, index, scoreMilli, paidWei: closing?.paidWei[position] ?? (closing ? 0n : null) }
    }),
    tasksPaid: paid.map(({ args: { taskIndex, amountWei } }) => ({ taskIndex, amountWei })),
    secretWithheld: kept.length > 0,
  }
}
