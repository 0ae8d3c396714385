import type { Context } from 'ponder:registry'
import { credit } from 'ponder:schema'
import { on } from './on.ts'

type Key = Pick<typeof credit.$inferInsert, 'account' | 'source'>

async function add(context: Context, key: Key, amount: bigint): Promise<void> {
  await context.db
    .insert(credit)
    .values({ ...key, credited: amount, owed: amount })
    .onConflictDoUpdate(row => ({ credited: row.credited + amount, owed: row.owed + amount }))
}

async function take(context: Context, key: Key, amount: bigint): Promise<void> {
  await context.db.update(credit, key).set(row => ({ withdrawn: row.withdrawn + amount, owed: row.owed - amount }))
}

on('Challenges:Credited', ({ event: { args }, context }) =>
  add(context, { account: args.account, source: 'challenges' }, args.amount),
)

on('Challenges:Withdrawn', ({ event: { args }, context }) =>
  take(context, { account: args.account, source: 'challenges' }, args.amount),
)

on('PredictionMarket:Credited', ({ event: { args }, context }) =>
  add(context, { account: args.account, source: 'market' }, args.amount),
)

on('PredictionMarket:Withdrawn', ({ event: { args }, context }) =>
  take(context, { account: args.account, source: 'market' }, args.amount),
)
