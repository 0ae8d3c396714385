import { phase, seatFaults, settlementOutcomes } from '@waggle/deployments/protocol'
import type { PeerKey } from '#core/hashes.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import type { EventReader } from './roundEvents.ts'

/** Rounds after its own in which something may happen to a peer's round, unless a case is left open for long. */
export const LAST_AFTER = 16

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
/** Indexed fields, besides the round. */
type EventFilter = Partial<Record<'peerKey' | 'evaluatorKey' | 'proposerKey' | 'seatKey', PeerKey>> & {
  shard?: number[]
}

/** Events of one peer's part in a round, except its commitment and the votes on it; in the order of the chain. */
export type PeerRound = Awaited<ReturnType<typeof readPeerRound>>

/** Challenges of the peer's answers, its work as an evaluator, and the outcome of its tasks. */
export async function readPeerRound(
  chain: ChainClient,
  contracts: Contracts,
  events: EventReader,
  round: number,
  peerKey: PeerKey,
) {
  const read = eventsOfRound(chain, contracts, events, round)
  // One part after the other, so that an endpoint gets few calls at a time.
  return {
    ...(await readProposing(read, peerKey)),
    ...(await readEvaluating(read, peerKey)),
    ...(await readJudging(read, peerKey)),
    ...(await readChallenged(read, peerKey)),
  }
}

type RoundReads = ReturnType<typeof eventsOfRound>

/** Reads of the events of one round, by contract. viem cannot infer that all events of a variable name index the filters. */
function eventsOfRound(
  { rpc }: ChainClient,
  { rolloutCommitments, rewardVotes, challenges, openings }: Contracts,
  events: EventReader,
  round: number,
) {
  const argsOf = (filter: EventFilter) => ({ round: BigInt(round), ...filter }) as never
  const after = { first: round, last: round + LAST_AFTER }
  return {
    proposals: <E extends 'SecretCommitted' | 'TasksProposed'>(eventName: E, filter: EventFilter) =>
      events.inRounds({ first: round + phase.promising, last: round + phase.proposing }, range =>
        rpc.getContractEvents({ ...rolloutCommitments, eventName, args: argsOf(filter), strict: true, ...range }),
      ),
    ballots: () =>
      events.inRounds({ first: round + phase.voting, last: round + phase.voting }, range =>
        rpc.getContractEvents({
          ...rewardVotes,
          eventName: 'VotesCommitted',
          args: argsOf({}),
          strict: true,
          ...range,
        }),
      ),
    misses: (filter: EventFilter) =>
      events.inRounds(after, range =>
        rpc.getContractEvents({
          ...rewardVotes,
          eventName: 'EvaluatorMissed',
          args: argsOf(filter),
          strict: true,
          ...range,
        }),
      ),
    challenges: <E extends ChallengeEvent>(eventName: E, filter: EventFilter) =>
      events.inRounds(after, range =>
        rpc.getContractEvents({ ...challenges, eventName, args: argsOf(filter), strict: true, ...range }),
      ),
    openings: <E extends OpeningEvent>(eventName: E, filter: EventFilter) =>
      events.inRounds(after, range =>
        rpc.getContractEvents({ ...openings, eventName, args: argsOf(filter), strict: true, ...range }),
      ),
  }
}

async function readProposing(read: RoundReads, peerKey: PeerKey) {
  const [secrets, tasks, paid, withheld] = await Promise.all([
    read.proposals('SecretCommitted', { peerKey }),
    read.proposals('TasksProposed', { peerKey }),
    read.openings('TaskPaid', { proposerKey: peerKey }),
    read.openings('SecretWithheld', { proposerKey: peerKey }),
  ])
  return {
    hasSecret: secrets.length > 0,
    /** Number of tasks of each proposal. */
    tasks: tasks.map(({ args }) => args.count),
    tasksPaid: paid.map(({ args: { taskIndex, amountWei } }) => ({ taskIndex, amountWei })),
    secretWithheld: withheld.length > 0,
  }
}

async function readEvaluating(read: RoundReads, peerKey: PeerKey) {
  const [sealed, opened, missed] = await Promise.all([
    read.ballots(),
    read.openings('ComponentOpened', { evaluatorKey: peerKey }),
    read.misses({ evaluatorKey: peerKey }),
  ])
  const shards = [...new Set(opened.map(({ args }) => args.shard))]
  const closed = shards.length === 0 ? [] : await read.openings('OpeningsClosed', { shard: shards })
  return {
    /** Sealed ballots of all evaluators. */
    sealed: sealed.map(({ args: { evaluatorKey, shard } }) => ({ evaluatorKey, shard })),
    /** Misses in a row as of this round; null if it missed nothing in it. */
    misses: missed.at(-1)?.args.misses ?? null,
    /** Its openings as a seat, and its pay for them, wei; null while the shard is not closed. */
    opened: opened.map(({ args: { shard, position, index, scoreMilli } }) => {
      const closing = closed.find(({ args }) => args.shard === shard)?.args
      return { shard, index, scoreMilli, paidWei: closing?.paidWei[position] ?? (closing ? 0n : null) }
    }),
  }
}

/** Its verdicts as a seat on appeals of others' scores, its pay for them, and its faults; level 0 is a committee. */
async function readJudging(read: RoundReads, peerKey: PeerKey) {
  const asSeat = { seatKey: peerKey }
  const [judged, seatPaid, blamed] = await Promise.all([
    read.challenges('VerdictRevealed', asSeat),
    read.challenges('SeatPaid', asSeat),
    read.challenges('SeatBlamed', asSeat),
  ])
  return {
    judged: judged.map(({ args: { peerKey: of, level, scoreMilli } }) => ({ peerKey: of, level, scoreMilli })),
    seatPaid: seatPaid.map(({ args: { peerKey: of, level, paidWei } }) => ({ peerKey: of, level, paidWei })),
    blamed: blamed.map(({ args: { peerKey: of, level, fault } }) => ({
      ...{ peerKey: of, level, fault: seatFaults[fault] ?? null },
    })),
  }
}

/** Demands and proofs against its answers, and appeals of its score. */
async function readChallenged(read: RoundReads, peerKey: PeerKey) {
  const [demanded, shown, withheld, falseLeaves, appealed, verdicts, closed] = await Promise.all([
    read.challenges('LeafDemanded', { peerKey }),
    read.challenges('LeafShown', { peerKey }),
    read.challenges('LeafWithheld', { peerKey }),
    read.challenges('LeafFalse', { peerKey }),
    read.challenges('AppealOpened', { peerKey }),
    read.challenges('VerdictRevealed', { peerKey }),
    read.challenges('AppealClosed', { peerKey }),
  ])
  return {
    demanded: demanded.map(({ args: { index, throughRound } }) => ({ index, throughRound: Number(throughRound) })),
    shown: shown.map(({ args: { index } }) => index),
    withheld: withheld.map(({ args: { index } }) => index),
    falseLeaves: falseLeaves.map(({ args: { index } }) => index),
    appealed: appealed.map(({ args: { level, drawn, appellant } }) => ({ level, drawn, appellant })),
    verdicts: verdicts.map(({ args: { level, seatKey, scoreMilli } }) => ({ level, seatKey, scoreMilli })),
    closed: closed.map(({ args: { outcome, scoreMilli, settledMilli, isMoot } }) => ({
      ...{ outcome: settlementOutcomes[outcome] ?? 'none', scoreMilli, settledMilli, isMoot },
    })),
  }
}
