import type { Context } from 'ponder:registry'
import { bootstrap, clock, evaluator, evaluatorSeat, SHARD_PEERS, settlement, voteCommit } from 'ponder:schema'
import { MAX_MISSES } from '@waggle/deployments/protocol'
import { and, desc, eq, gt } from 'ponder'
import { weightOf } from '../rules/weights.ts'
import { addToFeed } from './feed.ts'
import { Contradiction, on } from './on.ts'
import { readOpenChallenges } from './openChallenges.ts'
import { outcomeOf } from './outcomes.ts'
import { updatePeer } from './peerRow.ts'
import { CLOCK, updateRound } from './roundRow.ts'
import { noteScore, readBefore } from './weigh.ts'

on('RewardVotes:EvaluatorAdmitted', async ({ event, context }) => {
  const { peerKey, isStaked } = event.args
  const fromRound = Number(event.args.fromRound)
  const own = isStaked ? { stakedFromRound: fromRound } : { admittedFromRound: fromRound }
  // Seats of the role end with bootstrap, without an event.
  const roleEnds = await readBootstrap(context)
  const untilRound = isStaked ? null : roleEnds
  await context.db
    .insert(evaluator)
    .values({ peerKey, fromRound, untilRound, ...own })
    .onConflictDoUpdate(row => {
      // An evaluator that already has a seat, by the role or by a stake, keeps it.
      const sits = row.stakedFromRound !== null || (row.admittedFromRound !== null && fromRound <= roleEnds)
      return {
        fromRound: sits ? Math.min(row.fromRound, fromRound) : fromRound,
        untilRound: row.stakedFromRound === null ? untilRound : null,
        ...own,
        // As the contract does, so that nobody clears a few by leaving and returning with a stake.
        misses: isStaked && row.misses < MAX_MISSES ? row.misses : 0,
      }
    })
  await context.db.insert(evaluatorSeat).values({ peerKey, fromRound, untilRound }).onConflictDoUpdate({ untilRound })
  await addToFeed(context, event, { kind: 'evaluatorAdmitted', peerKey, detail: { fromRound } })
})

on('RewardVotes:EvaluatorRemoved', async ({ event, context }) => {
  const { peerKey, isStaked } = event.args
  const openRound = Number(event.args.fromRound)
  const roleEnds = await readBootstrap(context)
  const row = await context.db.find(evaluator, { peerKey })
  const fromRound = isStaked ? row?.stakedFromRound : row?.admittedFromRound
  if (row === null || fromRound === null || fromRound === undefined) throw new Contradiction(`${peerKey} left no seat`)
  const other = isStaked ? row.admittedFromRound : row.stakedFromRound
  const untilRound = isStaked ? openRound : Math.min(openRound, roleEnds)
  // The seat that is left, if any: of the role, which ends with bootstrap, or of a stake, which may begin later.
  const rest = isStaked
    ? { stakedFromRound: null, untilRound: other === null ? untilRound : Math.max(untilRound, roleEnds) }
    : {
        admittedFromRound: null,
        ...(other === null
          ? { untilRound }
          : { untilRound: null, fromRound: untilRound < other ? other : row.fromRound }),
      }
  const left = { ...row, ...rest }
  await context.db
    .update(evaluatorSeat, { peerKey, fromRound })
    .set(seat => ({ untilRound: Math.min(untilRound, seat.untilRound ?? untilRound) }))
  // The seat never began: a stake's of bootstrap begins at its end.
  const span = left.untilRound !== null && left.untilRound <= left.fromRound ? await readLastSeat(context, peerKey) : {}
  await context.db.update(evaluator, { peerKey }).set({ ...rest, ...span })
  await addToFeed(context, event, { kind: 'evaluatorRemoved', peerKey, detail: { fromRound: openRound } })
})

/** The newest seat of an evaluator that has begun; empty if none has. */
async function readLastSeat(context: Context, peerKey: `0x${string}`) {
  const { fromRound, untilRound } = evaluatorSeat
  const [seat] = await context.db.sql
    .select({ fromRound, untilRound })
    .from(evaluatorSeat)
    .where(and(eq(evaluatorSeat.peerKey, peerKey), gt(untilRound, fromRound)))
    .orderBy(desc(fromRound))
    .limit(1)
  return seat ?? {}
}

/** First round whose seats need stakes. */
async function readBootstrap(context: Context): Promise<number> {
  const row = await context.db.find(bootstrap, { id: 'bootstrap' })
  if (row === null) throw new Contradiction('a seat was given before the contract of stakes')
  return row.rounds
}

on('RewardVotes:EvaluatorMissed', async ({ event, context }) => {
  const { evaluatorKey, misses } = event.args
  await context.db.update(evaluator, { peerKey: evaluatorKey }).set({ misses, missedRound: Number(event.args.round) })
})

on('RewardVotes:VotesCommitted', async ({ event, context }) => {
  const { evaluatorKey, shard, commitment } = event.args
  const round = Number(event.args.round)
  await context.db
    .insert(voteCommit)
    .values({ round, evaluatorKey, shard, commitment, committedAtSec: Number(event.block.timestamp) })
  await updateRound(context, round, row => ({ votesCommitted: row.votesCommitted + 1 }))
  await context.db.update(evaluator, { peerKey: evaluatorKey }).set(row => ({ votesCommitted: row.votesCommitted + 1 }))
  await updatePeer(context, evaluatorKey, row => ({ lastActiveRound: Math.max(row.lastActiveRound ?? 0, round) }))
  await addToFeed(context, event, { kind: 'votesCommitted', round, peerKey: evaluatorKey, detail: { commitment } })
})

on('RewardVotes:VotesRevealed', async ({ event, context }) => {
  const { evaluatorKey, shard, contentId } = event.args
  const round = Number(event.args.round)
  const scoresMilli = [...event.args.scoresMilli]
  const componentRoots = [...event.args.componentRoots]
  const { rolloutCommitments } = await updateRound(context, round, row => ({ votesRevealed: row.votesRevealed + 1 }))
  // The contract refuses lists that are not as long as the shard.
  const places = Math.min(SHARD_PEERS, rolloutCommitments - shard * SHARD_PEERS)
  if (scoresMilli.length !== places || componentRoots.length !== places)
    throw new Contradiction(`shard ${shard} of round ${round} has ${places} peers, and ${scoresMilli.length} votes`)
  const opened = { revealedAtSec: Number(event.block.timestamp), contentId, scoresMilli, componentRoots }
  await context.db.update(voteCommit, { round, evaluatorKey, shard }).set(opened)
  await context.db.update(evaluator, { peerKey: evaluatorKey }).set(row => ({ votesRevealed: row.votesRevealed + 1 }))
  const detail = { votes: places, contentId }
  await addToFeed(context, event, { kind: 'votesRevealed', round, peerKey: evaluatorKey, detail })
})

on('RewardVotes:RoundCounted', async ({ event, context }) => {
  const round = Number(event.args.round)
  const { number, meanWeight } = event.args
  // An outage has no number.
  await updateRound(context, round, () => ({ countedNumber: number || null, meanWeight: Number(meanWeight) }))
  if (number !== 0) await context.db.update(clock, { id: CLOCK }).set({ lastCounted: round })
})

on('RewardVotes:Settled', async ({ event, context }) => {
  const { peerKey, scoreMilli, votes } = event.args
  const round = Number(event.args.round)
  const outcome = outcomeOf(event.args.outcome)
  if (outcome === undefined) throw new Error(`round ${round} was settled with unknown outcome ${event.args.outcome}`)
  const beforeMilli = await readBefore(context, { round, peerKey })
  const weight = weightOf(scoreMilli, beforeMilli)
  const { finalAtSec } = await updateRound(context, round, row => ({
    settled: row.settled + 1,
    [outcome]: row[outcome] + 1,
    scoreMilliSum: row.scoreMilliSum + scoreMilli,
    weight: row.weight + weight,
  }))
  await context.db.insert(settlement).values({
    round,
    peerKey,
    outcome,
    scoreMilli,
    beforeMilli,
    weight,
    votes,
    openChallenges: await readOpenChallenges(context, { round, peerKey }),
    finalAtSec,
    atSec: Number(event.block.timestamp),
    transactionHash: event.transaction.hash,
  })
  await updatePeer(context, peerKey, row => ({
    pointsMilli: row.pointsMilli + BigInt(scoreMilli),
    roundsSettled: row.roundsSettled + 1,
  }))
  await noteScore(context, { round, peerKey }, scoreMilli)
  await addToFeed(context, event, { kind: 'settled', round, peerKey, detail: { scoreMilli, votes, outcome } })
})
