import { type Cast, modelCast } from './cast.ts'
import { SETTING, type Setting } from './defences.ts'
import { Facts } from './facts.ts'
import { ModelLedger } from './ledgers/modelLedger.ts'
import { type Played, playGame } from './playGame.ts'
import { HONEST, type Strategy } from './strategy.ts'

const HARDHAT_CHAIN = 31_337

/** A share and half of its 95 % interval. */
export interface Share {
  readonly mean: number
  readonly error: number
}

/** A strategy against honest play, run by run on the same seeds. */
export interface Trial {
  readonly strategy: Strategy
  /** Profit of the coalition, as a share of its honest pay. */
  readonly profit: Share
  /** Loss of everybody else, as a share of their pay. */
  readonly honestLoss: Share
  /** Nectar that each side earns in a run if all are honest. */
  readonly ownPay: number
  readonly honestPay: number
}

/** Plays a strategy with a seed. */
export type PlaySeed = (strategy: Strategy, seed: number) => Promise<Played>

/** Rounds of work in a run. */
export const ROUNDS = 2

/** Plays on the fast model; draws of a seed are made once for all strategies. @param known - facts by seed. */
export async function openModel(
  setting: Setting = SETTING,
  known = new Map<number, Facts>(),
  rounds = ROUNDS,
): Promise<PlaySeed> {
  const cast: Cast = await modelCast()
  return (strategy, seed) => {
    const facts = known.get(seed) ?? new Facts(HARDHAT_CHAIN, seed, 0)
    known.set(seed, facts)
    return playGame(new ModelLedger(facts, cast, setting.defences), facts, cast, { strategy, setting, rounds })
  }
}

/** Honest play runs once for each seed. */
export function openMeasure(play: PlaySeed) {
  const honest = new Map<number, Promise<Played>>()
  const honestOf = (seed: number) => {
    const known = honest.get(seed) ?? play(HONEST, seed)
    honest.set(seed, known)
    return known
  }
  return async (strategy: Strategy, seeds: readonly number[]): Promise<Trial> => {
    const runs: { attack: Played; before: Played }[] = []
    for (const seed of seeds) runs.push({ before: await honestOf(seed), attack: await play(strategy, seed) })
    return {
      strategy,
      profit: shareOf(runs.map(({ attack, before }) => [attack.own.net - before.own.net, before.own.pay])),
      ownPay: meanOf(runs.map(({ before }) => before.own.pay)),
      honestPay: meanOf(runs.map(({ before }) => before.honest.pay)),
      honestLoss: shareOf(runs.map(({ attack, before }) => [before.honest.net - attack.honest.net, before.honest.pay])),
    }
  }
}

/** Seeds for no other measurement. */
export function seedsFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => first + at)
}

function shareOf(runs: readonly (readonly [difference: number, pay: number])[]): Share {
  const differences = runs.map(([difference]) => difference)
  const middle = meanOf(differences)
  const variance = meanOf(differences.map(one => (one - middle) ** 2)) * (runs.length / Math.max(1, runs.length - 1))
  const pay = meanOf(runs.map(([, earned]) => earned))
  return { mean: middle / pay, error: (1.96 * Math.sqrt(variance / runs.length)) / pay }
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one, 0) / values.length
}
