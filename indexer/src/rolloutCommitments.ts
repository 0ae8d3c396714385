import { ponder } from 'ponder:registry'
import { rolloutCommitment, tasksCommitment } from 'ponder:schema'
import { addToFeed } from './feed.ts'
import { updatePeer } from './peerRow.ts'
import { updateRound } from './roundRow.ts'

ponder.on('RolloutCommitments:TasksCommitted', async ({ event, context }) => {
  const { peerKey, root, contentId } = event.args
  const round = Number(event.args.round)
  const count = BigInt(event.args.count)
  const earlier = await context.db.find(tasksCommitment, { round, peerKey })
  const latest = { root, count, contentId, atSec: event.block.timestamp, transactionHash: event.transaction.hash }
  await context.db
    .insert(tasksCommitment)
    .values({ round, peerKey, ...latest })
    .onConflictDoUpdate(({ amendments }) => ({ ...latest, amendments: amendments + 1 }))
  await updateRound(context, round, row => ({
    proposers: row.proposers + (earlier === null ? 1 : 0),
    taskCount: row.taskCount - (earlier?.count ?? 0n) + count,
  }))
  await updatePeer(context, peerKey, row => ({
    roundsProposed: row.roundsProposed + (earlier === null ? 1 : 0),
    lastActiveRound: Math.max(row.lastActiveRound ?? 0, round),
  }))
  const detail = { root, count: Number(count), contentId }
  await addToFeed(context, event, { kind: 'tasksCommitted', round, peerKey, detail })
})

ponder.on('RolloutCommitments:RolloutsCommitted', async ({ event, context }) => {
  const { peerKey, root, policyHash, contentId } = event.args
  const round = Number(event.args.round)
  const leafCount = BigInt(event.args.leafCount)
  const earlier = await context.db.find(rolloutCommitment, { round, peerKey })
  const latest = {
    root,
    leafCount,
    policyHash,
    contentId,
    atSec: event.block.timestamp,
    transactionHash: event.transaction.hash,
  }
  await context.db
    .insert(rolloutCommitment)
    .values({ round, peerKey, ...latest })
    .onConflictDoUpdate(({ amendments }) => ({ ...latest, amendments: amendments + 1 }))
  await updateRound(context, round, row => ({
    solvers: row.solvers + (earlier === null ? 1 : 0),
    rolloutCount: row.rolloutCount - (earlier?.leafCount ?? 0n) + leafCount,
  }))
  await updatePeer(context, peerKey, row => ({
    roundsSolved: row.roundsSolved + (earlier === null ? 1 : 0),
    lastActiveRound: Math.max(row.lastActiveRound ?? 0, round),
  }))
  const detail = { root, leafCount: Number(leafCount), policyHash, contentId }
  await addToFeed(context, event, { kind: 'rolloutsCommitted', round, peerKey, detail })
})
