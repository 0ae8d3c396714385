import type { Context } from 'ponder:registry'
import { peer, round } from 'ponder:schema'
import { updatePeer } from './peerRow.ts'
import { readClock } from './roundRow.ts'
import { meanAfter, sumBefore, withScore } from './weights.ts'

/** What the score of a peer that is about to get a result is held to: its own scores before, and the rounds' mean. */
export async function weigh(
  context: Context,
  key: { round: number; peerKey: `0x${string}` },
): Promise<{ beforeMilli: number; meanWeight: number }> {
  const own = await context.db.find(round, { number: key.round })
  const { lastCounted } = await readClock(context)
  const last = lastCounted === null ? null : await context.db.find(round, { number: lastCounted })
  const { scoreLanes } = (await context.db.find(peer, { peerKey: key.peerKey })) ?? {}
  const number = own?.countedNumber ?? (last?.countedNumber ?? 0) + 1
  const beforeMilli = scoreLanes ? sumBefore(scoreLanes, number) : 0
  if (own && own.countedNumber !== null) return { beforeMilli, meanWeight: own.meanWeight }
  // An outage, which no event tells: it is held to the mean as it would be.
  return { beforeMilli, meanWeight: meanAfter(last && { ...last, number: last.countedNumber ?? 0 }) }
}

/** Gives a peer another score in a round, for the weights of later ones. Rounds that do not count change nothing. */
export async function noteScore(
  context: Context,
  key: { round: number; peerKey: `0x${string}` },
  scoreMilli: number,
): Promise<void> {
  const number = (await context.db.find(round, { number: key.round }))?.countedNumber
  if (number == null) return
  await updatePeer(context, key.peerKey, row => ({ scoreLanes: withScore(row.scoreLanes, number, scoreMilli) }))
}
