import type { Context } from 'ponder:registry'
import { leafDemand, round as rounds, settlement } from 'ponder:schema'
import { OUTCOME_RING } from '@waggle/deployments/protocol'
import { and, eq, gt, inArray, isNull } from 'ponder'
import { shareOf } from '../rules/weights.ts'
import { readClock } from './roundRow.ts'

/**
 * Before a long-open challenge changes the weight of a round: stores the shares of peers whose outcomes were overwritten. The contract
 * divided those at that time, by the weight that the round had then.
 */
export async function keepShares(context: Context, number: number): Promise<void> {
  const { latestRound } = await readClock(context)
  const count = Math.max(0, Math.floor(((latestRound ?? 0) - number) / OUTCOME_RING))
  if (count === 0) return
  const row = await context.db.find(rounds, { number })
  if (row === null) return
  const replaced = await peersIn(
    context,
    Array.from({ length: count }, (_, at) => number + OUTCOME_RING * (at + 1)),
  )
  const { peerKey, weight, openChallenges, keptWei } = settlement
  const shares = await context.db.sql
    .select({ peerKey, weight })
    .from(settlement)
    .where(and(eq(settlement.round, number), gt(weight, 0), eq(openChallenges, 0), isNull(keptWei)))
  for (const share of shares) {
    if (!replaced.has(share.peerKey)) continue
    const key = { round: number, peerKey: share.peerKey }
    await context.db.update(settlement, key).set({ keptWei: shareOf(share.weight, row) })
  }
}

/** Peers with an outcome, or with a demand that holds its place, in any of these rounds. */
async function peersIn(context: Context, numbers: number[]): Promise<Set<string>> {
  const of = (table: typeof settlement | typeof leafDemand) =>
    context.db.sql.selectDistinct({ peerKey: table.peerKey }).from(table).where(inArray(table.round, numbers))
  const found = [...(await of(settlement)), ...(await of(leafDemand))]
  return new Set(found.map(({ peerKey }) => peerKey))
}
