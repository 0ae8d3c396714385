import type { Context } from 'ponder:registry'
import { clock, round } from 'ponder:schema'
import { inForce, timesOf } from '../rules/schedule.ts'

/** Key of the one `clock` row. */
export const CLOCK = 'rounds'

/** The clock as announced so far. The Rounds contract announces it at its own deployment, before all other events. */
export async function readClock(context: Context) {
  const row = await context.db.find(clock, { id: CLOCK })
  if (row === null) throw new Error('an event came before the first schedule: is the start block of Rounds right?')
  return row
}

type RoundCounts = Partial<Omit<typeof round.$inferSelect, 'number'>>

/** Makes the round's row if this is its first event, then adds `change(row)` to it, and the mean that follows. */
export async function updateRound(
  context: Context,
  number: number,
  change: (row: typeof round.$inferSelect) => RoundCounts,
): Promise<typeof round.$inferSelect> {
  if ((await context.db.find(round, { number })) === null) {
    const { schedule, environments, latestRound } = await readClock(context)
    await context.db
      .insert(round)
      .values({ number, ...timesOf(schedule, number), environmentHash: inForce(environments, number).hash })
    await context.db.update(clock, { id: CLOCK }).set({ latestRound: Math.max(latestRound ?? 0, number) })
  }
  return context.db.update(round, { number }).set(row => {
    const changed = change(row)
    const { scored, scoreMilliSum } = { ...row, ...changed }
    return { ...changed, meanScoreMilli: scored === 0 ? null : Math.round(scoreMilliSum / scored) }
  })
}
