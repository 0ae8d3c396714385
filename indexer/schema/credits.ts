import { bigint, hex, onchainEnum, onchainTable, onchainView, primaryKey, sql, text } from 'ponder'
import { peer } from './peers.ts'

export const creditSource = onchainEnum('credit_source', ['challenges', 'market'])

/**
 * An account's credit in a contract until it withdraws: returned bonds, and pay. In `challenges` wei of the chain's coin; in the `market`
 * the smallest unit of its token. `owed = credited - withdrawn`.
 */
export const credit = onchainTable(
  'credit',
  t => ({
    account: t.hex().notNull(),
    /** The contract that owes it. */
    source: creditSource().notNull(),
    /** Total credited. */
    credited: t.bigint().notNull().default(0n),
    /** Total withdrawn. */
    withdrawn: t.bigint().notNull().default(0n),
    /** It can withdraw now, in the unit of `source`: the coin for `challenges`, the token for `market`. */
    owed: t.bigint().notNull().default(0n),
  }),
  table => ({ pk: primaryKey({ columns: [table.account, table.source] }) }),
)

/** The same for each peer of the account. */
export const peerCredit = onchainView('peer_credit', {
  peerKey: hex('peer_key').notNull(),
  account: hex('account').notNull(),
  /** The contract that owes it. */
  source: text('source').notNull(),
  /** The account can withdraw now, in the unit of `source`: the coin for `challenges`, the token for `market`. */
  owed: bigint('owed').notNull(),
}).as(sql`
  SELECT p.peer_key, p.account, c.source::text AS source, c.owed
  FROM ${peer} p JOIN ${credit} c ON c.account = p.account
`)
