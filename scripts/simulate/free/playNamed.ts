import type { Facts } from './facts.ts'
import { marketAttacks } from './market.ts'
import { openMeasure, openModel, type Share, seedsFrom, type Trial } from './measure.ts'
import { type NamedAttack, namedAttacks, settingOf } from './named.ts'

/** Gain of a named attack with its defence and without. */
export interface NamedRow {
  readonly name: string
  readonly defence: string
  /** Amount that the gain is a share of. */
  readonly unit: 'of honest pay' | 'of what it costs' | 'bets'
  readonly defended: Share
  readonly undefended: Share
}

/** Plays each row of the attacks that worked on the first version, with its defence and without. */
export async function playNamed(seeds: number): Promise<NamedRow[]> {
  const rows: NamedRow[] = []
  const known = new Map<number, Facts>()
  const gain = async (attack: NamedAttack, isDefended: boolean) => {
    const measure = openMeasure(await openModel(settingOf(attack, isDefended), known, attack.rounds))
    const trial = await measure(attack.strategy, seedsFrom(0, seeds))
    return attack.against === undefined ? trial.profit : harm(await measure(attack.against, seedsFrom(0, seeds)), trial)
  }
  for (const attack of namedAttacks) {
    const [defended, undefended] = [await gain(attack, true), await gain(attack, false)]
    const unit = attack.against === undefined ? 'of honest pay' : 'of what it costs'
    rows.push({ name: attack.name, defence: attack.defence, unit, defended, undefended })
  }
  for (const { name, defence, gain: gainOf } of marketAttacks) {
    const share = (isDefended: boolean) => summarise(seedsFrom(0, seeds).map(seed => gainOf(isDefended, seed)))
    rows.push({ name, defence, unit: 'bets', defended: share(true), undefended: share(false) })
  }
  return rows
}

/** Whether a gain is more than chance. */
export function pays({ mean, error }: Share): boolean {
  return mean > error && mean > 0.001
}

/** Loss of others for each Nectar that it costs, above one. */
function harm(before: Trial, after: Trial): Share {
  const lost = (after.honestLoss.mean - before.honestLoss.mean) * after.honestPay
  const cost = (before.profit.mean - after.profit.mean) * after.ownPay
  return { mean: cost <= 0 ? Number.POSITIVE_INFINITY : lost / cost - 1, error: 0 }
}

function summarise(values: readonly number[]): Share {
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length
  const variance = values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(1, values.length - 1)
  return { mean, error: 1.96 * Math.sqrt(variance / values.length) }
}
