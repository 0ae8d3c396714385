import { bootstrap, compensation, slashing, stake } from 'ponder:schema'
import { addToFeed } from './feed.ts'
import { on } from './on.ts'

/** By the contract's number. */
const duties = ['evaluator', 'proposer'] as const

function dutyOf(number: number) {
  const duty = duties[number]
  if (duty === undefined) throw new Error(`there is no duty ${number}`)
  return duty
}

on('Stakes:Wired', async ({ event, context }) => {
  await context.db.insert(bootstrap).values({ id: 'bootstrap', rounds: Number(event.args.bootstrapRounds) })
})

on('Stakes:Staked', async ({ event, context }) => {
  const { peerKey, account, addedWei, amountWei } = event.args
  const duty = dutyOf(event.args.duty)
  const held = { amountWei, freeFromRound: null }
  await context.db
    .insert(stake)
    .values({ peerKey, duty, ...held })
    .onConflictDoUpdate(held)
  const detail = { duty, account, addedWei: String(addedWei), amountWei: String(amountWei) }
  await addToFeed(context, event, { kind: 'staked', peerKey, detail })
})

on('Stakes:Unstaking', async ({ event, context }) => {
  const { peerKey } = event.args
  const duty = dutyOf(event.args.duty)
  const freeFromRound = Number(event.args.freeFromRound)
  await context.db.update(stake, { peerKey, duty }).set({ freeFromRound })
  await addToFeed(context, event, { kind: 'unstaking', peerKey, detail: { duty, freeFromRound } })
})

on('Stakes:Withdrawn', async ({ event, context }) => {
  const { peerKey, account, amountWei } = event.args
  const duty = dutyOf(event.args.duty)
  await context.db.update(stake, { peerKey, duty }).set({ amountWei: 0n, freeFromRound: null })
  const detail = { duty, account, amountWei: String(amountWei) }
  await addToFeed(context, event, { kind: 'stakeWithdrawn', peerKey, detail })
})

on('Stakes:Slashed', async ({ event, context }) => {
  const { peerKey, slasher, lostWei, amountWei } = event.args
  const duty = dutyOf(event.args.duty)
  const at = { atSec: Number(event.block.timestamp), transactionHash: event.transaction.hash }
  await context.db.update(stake, { peerKey, duty }).set(row => ({ amountWei, slashedWei: row.slashedWei + lostWei }))
  await context.db.insert(slashing).values({ id: event.id, peerKey, duty, slasher, lostWei, ...at })
  const detail = { duty, lostWei: String(lostWei), amountWei: String(amountWei) }
  await addToFeed(context, event, { kind: 'slashed', peerKey, detail })
})

on('Stakes:Compensated', async ({ event, context }) => {
  const { peerKey, account, amountWei } = event.args
  const duty = dutyOf(event.args.duty)
  const at = { atSec: Number(event.block.timestamp), transactionHash: event.transaction.hash }
  await context.db.insert(compensation).values({ id: event.id, account, peerKey, duty, amountWei, ...at })
  const detail = { duty, account, amountWei: String(amountWei) }
  await addToFeed(context, event, { kind: 'compensated', peerKey, detail })
})
