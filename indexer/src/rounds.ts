import type { Context } from 'ponder:registry'
import { clock, round, settlement } from 'ponder:schema'
import { phase } from '@waggle/deployments/protocol'
import { eq } from 'ponder'
import { announce, inForce, timesOf } from '../rules/schedule.ts'
import { addToFeed } from './feed.ts'
import { on } from './on.ts'
import { CLOCK, readClock, updateRound } from './roundRow.ts'

on('Rounds:ScheduleSet', async ({ event, context }) => {
  const { startsAtSec, roundSeconds } = event.args
  const span = { fromRound: Number(event.args.fromRound), startsAtSec, roundSeconds }
  await context.db
    .insert(clock)
    .values({ id: CLOCK, schedule: [span], environments: [] })
    .onConflictDoUpdate(row => ({ schedule: announce(row.schedule, span) }))
  await renewRounds(context, span.fromRound)
  await addToFeed(context, event, { kind: 'scheduleSet', detail: span })
})

on('Rounds:EnvironmentSet', async ({ event, context }) => {
  const environment = { fromRound: Number(event.args.fromRound), hash: event.args.environmentHash }
  await context.db
    .insert(clock)
    .values({ id: CLOCK, schedule: [], environments: [environment] })
    .onConflictDoUpdate(row => ({ environments: announce(row.environments, environment) }))
  await renewRounds(context, environment.fromRound)
  await addToFeed(context, event, { kind: 'environmentSet', detail: environment })
})

on('Rounds:BeaconFixed', async ({ event, context }) => {
  const beaconBlock = Number(event.args.blockNumber)
  await updateRound(context, Number(event.args.round), () => ({ beaconBlock }))
})

on('Rounds:BeaconDrawn', async ({ event, context }) => {
  const { beacon } = event.args
  const number = Number(event.args.round)
  await updateRound(context, number, () => ({ beacon }))
  await addToFeed(context, event, { kind: 'beaconDrawn', round: number, detail: { beacon } })
})

/**
 * Times and environment of rounds that have a row already (tasks come early) and are not final before `fromRound`, with the copies in
 * their settlements.
 */
async function renewRounds(context: Context, fromRound: number): Promise<void> {
  const { schedule, environments, latestRound } = await readClock(context)
  if (latestRound === null) return
  // A round's end and finality are the starts of later rounds, so those just before the change move as well.
  for (let number = Math.max(0, fromRound - phase.opening); number <= latestRound; number++) {
    if ((await context.db.find(round, { number })) === null) continue
    const environmentHash = inForce(environments, number).hash
    const times = timesOf(schedule, number)
    await context.db.update(round, { number }).set({ ...times, environmentHash })
    const { finalAtSec } = times
    await context.db.sql.update(settlement).set({ finalAtSec }).where(eq(settlement.round, number))
  }
}
