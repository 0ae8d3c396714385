import type { Context } from 'ponder:registry'
import { appeal, appealCase, appealVerdict, leafDemand, settlement } from 'ponder:schema'
import { MAX_SCORE_MILLI, seatFaults, UNAVAILABLE } from '@waggle/deployments/protocol'
import { weightOf } from '../rules/weights.ts'
import { annul } from './annul.ts'
import { addToFeed } from './feed.ts'
import { keepShares } from './keepShares.ts'
import { Contradiction, on } from './on.ts'
import { countChallenge } from './openChallenges.ts'
import { outcomeOf } from './outcomes.ts'
import { updatePeer } from './peerRow.ts'
import { updateRound } from './roundRow.ts'
import { votedOn } from './votedOn.ts'
import { noteScore } from './weigh.ts'

/** The weight that an appeal could add to a score. */
const reserveOf = (scoreMilli: number, beforeMilli: number) =>
  weightOf(MAX_SCORE_MILLI, beforeMilli) - weightOf(scoreMilli, beforeMilli)

on('Challenges:LeafFalse', async ({ event, context }) => {
  const { peerKey, index, lostMilli, challenger } = event.args
  const round = Number(event.args.round)
  await annul(context, event, { round, peerKey, lostMilli, outcome: 'falseLeaf' })
  await addToFeed(context, event, { kind: 'leafFalse', round, peerKey, detail: { index, lostMilli, challenger } })
})

on('Challenges:LeafDemanded', async ({ event, context }) => {
  const { peerKey, index, challenger, bondWei, throughRound } = event.args
  const round = Number(event.args.round)
  await context.db.insert(leafDemand).values({
    round,
    peerKey,
    index,
    challenger,
    bondWei,
    throughRound: Number(throughRound),
    atSec: Number(event.block.timestamp),
    transactionHash: event.transaction.hash,
  })
  await countChallenge(context, { round, peerKey }, 1)
  await addToFeed(context, event, { kind: 'leafDemanded', round, peerKey, detail: { index, challenger } })
})

on('Challenges:LeafShown', async ({ event, context }) => {
  const { peerKey, index, responder, paidWei } = event.args
  const round = Number(event.args.round)
  await context.db.update(leafDemand, { round, peerKey, index }).set({ state: 'shown', responder, paidWei })
  await countChallenge(context, { round, peerKey }, -1)
  await addToFeed(context, event, { kind: 'leafShown', round, peerKey, detail: { index, responder } })
})

on('Challenges:LeafWithheld', async ({ event, context }) => {
  const { peerKey, index, lostMilli, challenger } = event.args
  const round = Number(event.args.round)
  await context.db.update(leafDemand, { round, peerKey, index }).set({ state: 'withheld' })
  const before = (await context.db.find(settlement, { round, peerKey }))?.outcome
  // Lost before, for another leaf: the contract leaves that outcome as it is.
  if (before !== 'falseLeaf' && before !== 'withheld')
    await annul(context, event, { round, peerKey, lostMilli, outcome: 'withheld' })
  await countChallenge(context, { round, peerKey }, -1)
  await addToFeed(context, event, { kind: 'leafWithheld', round, peerKey, detail: { index, lostMilli, challenger } })
})

on('Challenges:AppealOpened', async ({ event, context }) => {
  const { peerKey, appellant, level, bondWei, drawn } = event.args
  const round = Number(event.args.round)
  const settled = await context.db.find(settlement, { round, peerKey })
  if (settled === null) throw new Contradiction(`round ${round} of a peer was appealed before it was settled`)
  const { scoreMilli: settledMilli, beforeMilli } = settled
  if (level === 1) {
    await context.db.insert(appealCase).values({ round, peerKey, settledMilli })
    await countChallenge(context, { round, peerKey }, 1)
    await updateRound(context, round, row => ({
      reservedWeight: row.reservedWeight + reserveOf(settledMilli, beforeMilli),
    }))
    // Until the case is closed later rounds are weighed with what the votes had.
    if (settled.outcome === 'unavailable')
      await noteScore(context, { round, peerKey }, await votedOn(context, { round, peerKey }))
  }
  const atSec = Number(event.block.timestamp)
  const transactionHash = event.transaction.hash
  const found = { openedMilli: [], atSec, transactionHash }
  await context.db.insert(appeal).values({ round, peerKey, level, appellant, bondWei, drawn, ...found })
  await addToFeed(context, event, { kind: 'appealOpened', round, peerKey, detail: { level, appellant } })
})

on('Challenges:VerdictCommitted', async ({ event, context }) => {
  const { round, ...place } = event.args
  await context.db.insert(appealVerdict).values({ round: Number(round), ...place })
})

on('Challenges:VerdictRevealed', async ({ event, context }) => {
  const { peerKey, seatKey, level, scoreMilli } = event.args
  const key = { round: Number(event.args.round), peerKey, level }
  await context.db.update(appeal, key).set(row => ({ openedMilli: [...row.openedMilli, scoreMilli] }))
  await context.db
    .update(appealVerdict, { ...key, seatKey })
    .set({ isRevealed: true, scoreMilli: scoreMilli === UNAVAILABLE ? null : scoreMilli })
})

on('Challenges:AppealClosed', async ({ event, context }) => {
  const { peerKey, scoreMilli, settledMilli, isMoot } = event.args
  const key = { round: Number(event.args.round), peerKey }
  await context.db.update(appealCase, key).set({ isClosed: true, isMoot, finalMilli: scoreMilli })
  // First, while its own share is held.
  await keepShares(context, key.round)
  await countChallenge(context, key, -1)
  const settled = await context.db.find(settlement, key)
  if (settled === null) throw new Contradiction(`round ${key.round} of a peer was appealed and is not settled`)
  // Copied: the row that was found changes with the next update.
  const before = { ...settled, scoreMilli: settledMilli }
  await updateRound(context, key.round, row => ({
    reservedWeight: row.reservedWeight - reserveOf(settledMilli, before.beforeMilli),
  }))
  const kind = isMoot ? 'appealMoot' : 'appealClosed'
  await addToFeed(context, event, { kind, ...key, detail: { scoreMilli, settledMilli } })
  if (isMoot) return
  await noteScore(context, key, scoreMilli)
  // Overturned by a score, or by a jury that found nothing to score. A second jury may give 0 again, for the other reason.
  const outcome = outcomeOf(event.args.outcome) ?? 'scored'
  if (scoreMilli !== settledMilli || outcome !== before.outcome)
    await replaceScore(context, key, before, { outcome, scoreMilli })
})

type Settled = Pick<typeof settlement.$inferSelect, 'outcome' | 'scoreMilli' | 'beforeMilli' | 'weight'>

/** Replaces a settled score by that of a verdict, in the sums over its round and its peer too. */
async function replaceScore(
  context: Context,
  key: { round: number; peerKey: `0x${string}` },
  before: Settled,
  { outcome, scoreMilli }: Pick<Settled, 'outcome' | 'scoreMilli'>,
): Promise<void> {
  const weight = weightOf(scoreMilli, before.beforeMilli)
  await context.db.update(settlement, key).set({ outcome, scoreMilli, weight })
  await updateRound(context, key.round, row => ({
    ...(before.outcome === outcome ? {} : { [before.outcome]: row[before.outcome] - 1, [outcome]: row[outcome] + 1 }),
    scoreMilliSum: row.scoreMilliSum - before.scoreMilli + scoreMilli,
    weight: row.weight - before.weight + weight,
  }))
  await updatePeer(context, key.peerKey, row => ({
    pointsMilli: row.pointsMilli - BigInt(before.scoreMilli) + BigInt(scoreMilli),
  }))
}

on('Challenges:SeatPaid', async ({ event, context }) => {
  const { round, paidWei, peerKey, seatKey, level } = event.args
  await context.db.update(appealVerdict, { round: Number(round), peerKey, seatKey, level }).set({ paidWei })
})

on('Challenges:SeatBlamed', async ({ event, context }) => {
  const { peerKey, seatKey, level } = event.args
  const fault = seatFaults[event.args.fault] ?? null
  // Those of the committee that was overturned, level 0, have no verdict of their own here.
  await context.db
    .insert(appealVerdict)
    .values({ round: Number(event.args.round), peerKey, seatKey, level, position: null, fault })
    .onConflictDoUpdate({ fault })
})
