import { proposal, rolloutCommitment, roundPlace, task } from 'ponder:schema'
import { decodeProposal, taskHash } from '@waggle/node/core/taskProposal'
import { addToFeed } from './feed.ts'
import { on } from './on.ts'
import { updatePeer } from './peerRow.ts'
import { updateRound } from './roundRow.ts'
import { shownText } from './shownText.ts'

// `find` returns the very row that a later write changes: what is needed of an earlier commitment is taken out at once.

on('RolloutCommitments:TasksProposed', async ({ event, context }) => {
  const { peerKey, secret, count, tasks } = event.args
  const round = Number(event.args.round)
  const compressed = new Uint8Array(Buffer.from(tasks.slice(2), 'hex'))
  const at = { atSec: Number(event.block.timestamp), transactionHash: event.transaction.hash }
  const { level = 0, texts = [] } = decodeProposal(compressed) ?? {}
  const tasksRead = texts.slice(0, count).map((text, index) => ({
    round,
    peerKey,
    index,
    taskHash: taskHash({ peerKey, index }),
    level,
    text: shownText(text),
  }))
  const unreadable = count - tasksRead.length
  await context.db
    .insert(proposal)
    .values({ round, peerKey, secret, count, unreadable, bytes: compressed.byteLength, ...at })
  if (tasksRead.length > 0) await context.db.insert(task).values(tasksRead)
  await updateRound(context, round, row => ({
    proposals: row.proposals + 1,
    tasks: row.tasks + count,
    unreadableTasks: row.unreadableTasks + unreadable,
  }))
  await updatePeer(context, peerKey, row => ({
    roundsProposed: row.roundsProposed + 1,
    lastActiveRound: Math.max(row.lastActiveRound ?? 0, round),
  }))
  await addToFeed(context, event, { kind: 'tasksProposed', round, peerKey, detail: { count } })
})

on('RolloutCommitments:RolloutsCommitted', async ({ event, context }) => {
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
    .values({ round, peerKey, ordinal, ...latest })
    .onConflictDoUpdate(({ amendments }) => ({ ...latest, amendments: amendments + 1 }))
  await updateRound(context, round, row => ({
    rolloutCommitments: row.rolloutCommitments + (earlier === undefined ? 1 : 0),
    rollouts: shownCount(row.rollouts - summed(earlier ?? 0) + summed(leafCount)),
  }))
  await updatePeer(context, peerKey, row => ({
    roundsSolved: row.roundsSolved + (earlier === undefined ? 1 : 0),
    lastActiveRound: Math.max(row.lastActiveRound ?? 0, round),
  }))
  const detail = { root, leafCount, policyHash, contentId }
  await addToFeed(context, event, { kind: 'rolloutsCommitted', round, peerKey, detail })
})

/** Most rollouts of a peer in a round's sum, so that one false count does not hide all others: those of 32,767 peers fit an `Int`. */
const MOST_SUMMED = 65_536

const summed = (leafCount: number) => Math.min(leafCount, MOST_SUMMED)

/** Largest GraphQL `Int`. */
const MOST = 2_147_483_647

/**
 * A count for people to read, cut to what a GraphQL `Int` holds.
 *
 * Senders choose counts up to 2^32 - 1; one that did not fit its column would stop the index for everybody.
 */
function shownCount(count: number): number {
  return Math.max(0, Math.min(count, MOST))
}
