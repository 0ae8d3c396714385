import { ponder } from 'ponder:registry'
import { rolloutCommitment, roundPlace, tasksCommitment } from 'ponder:schema'
import { addToFeed } from './feed.ts'
import { updatePeer } from './peerRow.ts'
import { updateRound } from './roundRow.ts'
import { shownCount } from './shownCount.ts'

// `find` returns the very row that a later write changes: what is needed of an earlier commitment is taken out at once.

ponder.on('RolloutCommitments:TasksCommitted', async ({ event, context }) => {
  const { peerKey, root, contentId } = event.args
  const round = Number(event.args.round)
  const count = shownCount(event.args.count)
  const earlier = (await context.db.find(tasksCommitment, { round, peerKey }))?.count
  const latest = {
    root,
    count,
    contentId,
    atSec: Number(event.block.timestamp),
    transactionHash: event.transaction.hash,
  }
  await context.db
    .insert(tasksCommitment)
    .values({ round, peerKey, ...latest })
    .onConflictDoUpdate(({ amendments }) => ({ ...latest, amendments: amendments + 1 }))
  await updateRound(context, round, row => ({
    taskCommitments: row.taskCommitments + (earlier === undefined ? 1 : 0),
    tasks: shownCount(row.tasks - (earlier ?? 0) + count),
  }))
  await updatePeer(context, peerKey, row => ({
    roundsProposed: row.roundsProposed + (earlier === undefined ? 1 : 0),
    lastActiveRound: Math.max(row.lastActiveRound ?? 0, round),
  }))
  const detail = { root, count, contentId }
  await addToFeed(context, event, { kind: 'tasksCommitted', round, peerKey, detail })
})

ponder.on('RolloutCommitments:RolloutsCommitted', async ({ event, context }) => {
  const { peerKey, ordinal, root, policyHash, contentId } = event.args
  const round = Number(event.args.round)
  const leafCount = shownCount(event.args.leafCount)
  const earlier = (await context.db.find(rolloutCommitment, { round, peerKey }))?.leafCount
  if (earlier === undefined) await context.db.insert(roundPlace).values({ round, ordinal, peerKey })
  const latest = {
    root,
    leafCount,
    policyHash,
    contentId,
    atSec: Number(event.block.timestamp),
    transactionHash: event.transaction.hash,
  }
  await context.db
    .insert(rolloutCommitment)
    .values({ round, peerKey, ...latest })
    .onConflictDoUpdate(({ amendments }) => ({ ...latest, amendments: amendments + 1 }))
  await updateRound(context, round, row => ({
    rolloutCommitments: row.rolloutCommitments + (earlier === undefined ? 1 : 0),
    rollouts: shownCount(row.rollouts - (earlier ?? 0) + leafCount),
  }))
  await updatePeer(context, peerKey, row => ({
    roundsSolved: row.roundsSolved + (earlier === undefined ? 1 : 0),
    lastActiveRound: Math.max(row.lastActiveRound ?? 0, round),
  }))
  const detail = { root, leafCount, policyHash, contentId }
  await addToFeed(context, event, { kind: 'rolloutsCommitted', round, peerKey, detail })
})
