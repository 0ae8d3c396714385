import type { Context } from 'ponder:registry'
import { claimedPeer } from 'ponder:schema'
import { on } from './on.ts'
import { shownText } from './shownText.ts'

/** Longer texts are not peer ids, and winners beyond this number are not counted: anyone can write both, at the price of gas. */
const MAX_ID_LENGTH = 128
const MAX_WINNERS = 64

type Row = typeof claimedPeer.$inferSelect

async function change(context: Context, peerId: string, changed: (row: Partial<Row>) => Partial<Row>): Promise<void> {
  if (peerId.length > MAX_ID_LENGTH) return
  await context.db
    .insert(claimedPeer)
    .values({ peerId: shownText(peerId), ...changed({}) })
    .onConflictDoUpdate(changed)
}

on('SwarmCoordinator:PeerRegistered', async ({ event, context }) => {
  const { eoa: account, peerId } = event.args
  await change(context, peerId, () => ({ account }))
})

on('SwarmCoordinator:RewardSubmitted', async ({ event, context }) => {
  const { account, peerId, roundNumber: lastRound } = event.args
  await change(context, peerId, ({ rewardsSubmitted = 0 }) => ({
    ...{ account, lastRound, rewardsSubmitted: rewardsSubmitted + 1 },
  }))
})

on('SwarmCoordinator:CumulativeRewardsUpdated', async ({ event, context }) => {
  const { peerId, totalRewards: claimedRewards } = event.args
  await change(context, peerId, () => ({ claimedRewards }))
})

on('SwarmCoordinator:WinnerSubmitted', async ({ event, context }) => {
  const { account, peerId, winners } = event.args
  await change(context, peerId, ({ roundsVoted = 0 }) => ({ account, roundsVoted: roundsVoted + 1 }))
  for (const winner of winners.slice(0, MAX_WINNERS))
    await change(context, winner, ({ timesNamed = 0 }) => ({ timesNamed: timesNamed + 1 }))
})

on('SwarmCoordinator:LeaderboardRowImported', async ({ event, context }) => {
  const { peerId, rewards: importedRewards, wins: importedWins } = event.args
  await change(context, peerId, () => ({ importedRewards, importedWins }))
})
