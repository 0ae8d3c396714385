import type { Context } from 'ponder:registry'
import { peer, round } from 'ponder:schema'
import { sumBefore, withScore } from '../rules/weights.ts'
import { updatePeer } from './peerRow.ts'
import { readClock } from './roundRow.ts'

/** The sum of the scores before, of a peer that is about to get a result: what its weight is held to. */
export async function readBefore(context: Context, key: { round: number; peerKey: `0x${string}` }): Promise<number> {
  const { scoreLanes } = (await context.db.find(peer, { peerKey: key.peerKey })) ?? {}
  if (scoreLanes === undefined) return 0
  const own = await context.db.find(round, { number: key.round })
  const { lastCounted } = await readClock(context)
  const last = lastCounted === null ? null : await context.db.find(round, { number: lastCounted })
  // A round that does not count is weighed as the next one would be.
  const number = own?.countedNumber ?? (last?.countedNumber ?? 0) + 1
  return sumBefore(scoreLanes, number)
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
