import type { Context, Event } from 'ponder:registry'
import { settlement } from 'ponder:schema'
import { keepShares } from './keepShares.ts'
import { readOpenChallenges } from './openChallenges.ts'
import { updatePeer } from './peerRow.ts'
import { updateRound } from './roundRow.ts'
import { noteScore, readBefore } from './weigh.ts'

interface Annulment {
  round: number
  peerKey: `0x${string}`
  /** Points that the peer had been given for the round. */
  lostMilli: number
  outcome: 'falseLeaf' | 'withheld'
}

/** A peer loses its round: an earlier settlement no longer counts, and a later one cannot change it. */
export async function annul(context: Context, event: Event, { round, peerKey, lostMilli, outcome }: Annulment) {
  const settled = await context.db.find(settlement, { round, peerKey })
  // Copied: the row that was found changes with the next update.
  const [before, weightBefore] = [settled?.outcome, settled?.weight ?? 0]
  const beforeMilli = await readBefore(context, { round, peerKey })
  await keepShares(context, round)
  const { finalAtSec } = await updateRound(context, round, row => ({
    settled: row.settled + (before === undefined ? 1 : 0),
    ...(before === undefined ? {} : { [before]: row[before] - 1 }),
    [outcome]: row[outcome] + 1,
    scoreMilliSum: row.scoreMilliSum - lostMilli,
    weight: row.weight - weightBefore,
  }))
  const annulled = { outcome, scoreMilli: 0, weight: 0 }
  const at = { atSec: Number(event.block.timestamp), transactionHash: event.transaction.hash }
  const openChallenges = await readOpenChallenges(context, { round, peerKey })
  await context.db
    .insert(settlement)
    .values({ round, peerKey, ...annulled, beforeMilli, votes: 0, openChallenges, finalAtSec, ...at })
    .onConflictDoUpdate(annulled)
  await updatePeer(context, peerKey, row => ({
    pointsMilli: row.pointsMilli - BigInt(lostMilli),
    roundsSettled: row.roundsSettled + (before === undefined ? 1 : 0),
  }))
  if (settled) await noteScore(context, { round, peerKey }, 0)
}
