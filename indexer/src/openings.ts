import { agreedLeaf, opening, taskPay, withheldSecret } from 'ponder:schema'
import { UNAVAILABLE } from '@waggle/deployments/protocol'
import { addToFeed } from './feed.ts'
import { on } from './on.ts'

on('Openings:ComponentOpened', async ({ event, context }) => {
  const { evaluatorKey, shard, position, peerKey, index, scoreMilli } = event.args
  const round = Number(event.args.round)
  const at = { atSec: Number(event.block.timestamp), transactionHash: event.transaction.hash }
  await context.db.insert(opening).values({ round, shard, evaluatorKey, position, peerKey, index, scoreMilli, ...at })
})

on('Openings:OpeningsClosed', async ({ event, context }) => {
  const { shard, index, medianMilli, paidWei } = event.args
  const round = Number(event.args.round)
  const at = { atSec: Number(event.block.timestamp), transactionHash: event.transaction.hash }
  // Fewer than two seats opened.
  const median = medianMilli === UNAVAILABLE ? null : medianMilli
  await context.db.insert(agreedLeaf).values({ round, shard, index, medianMilli: median, ...at })
  let paid = 0
  for (const [position, wei] of paidWei.entries()) {
    if ((await context.db.find(opening, { round, shard, position })) === null) continue
    await context.db.update(opening, { round, shard, position }).set({ paidWei: wei })
    if (wei > 0n) paid += 1
  }
  const detail = { shard, paid, amountWei: String(paidWei.reduce((sum, wei) => sum + wei, 0n)) }
  await addToFeed(context, event, { kind: 'openingsPaid', round, detail })
})

on('Openings:TaskPaid', async ({ event, context }) => {
  const { proposerKey, shard, taskIndex, amountWei } = event.args
  const round = Number(event.args.round)
  const at = { atSec: Number(event.block.timestamp), transactionHash: event.transaction.hash }
  await context.db.insert(taskPay).values({ round, shard, proposerKey, taskIndex, amountWei, ...at })
  const detail = { amountWei: String(amountWei) }
  await addToFeed(context, event, { kind: 'taskPaid', round, peerKey: proposerKey, detail })
})

on('Openings:SecretWithheld', async ({ event, context }) => {
  const { proposerKey, lostWei, challenger } = event.args
  const round = Number(event.args.round)
  const at = { atSec: Number(event.block.timestamp), transactionHash: event.transaction.hash }
  await context.db.insert(withheldSecret).values({ round, peerKey: proposerKey, lostWei, challenger, ...at })
  const detail = { lostWei: String(lostWei), challenger }
  await addToFeed(context, event, { kind: 'secretWithheld', round, peerKey: proposerKey, detail })
})
