import { type RandomStream, randomStream } from '../../../node/model/src/base/random.ts'
import { openMeasure, type PlaySeed, seedsFrom, type Trial } from './measure.ts'
import { describe, HONEST, mutated, randomStrategy, type Strategy } from './strategy.ts'

export interface Effort {
  /** Strategies tried, half of them at random, half near the best so far. */
  readonly strategies: number
  /** Seeds that each is played with, and those that the better ones are. */
  readonly seeds: number
  readonly moreSeeds: number
  readonly finalists: number
}

/** Number of the best that are varied. */
const PARENTS = 12

export interface Found {
  readonly tried: number
  /** The best first, each once: simplified strategies without useless changes, then others as they were found. */
  readonly best: readonly Trial[]
  /** All strategies that were tried, on few seeds. */
  readonly trials: readonly Trial[]
}

/**
 * Searches for the strategies that pay most: at random first, then by changing the best of them.
 *
 * @param closed - fields that stay honest.
 */
export async function searchStrategies(
  play: PlaySeed,
  effort: Effort,
  seed: string,
  closed: readonly (keyof Strategy)[] = [],
): Promise<Found> {
  const random = randomStream('search for strategies', seed)
  const measure = openMeasure(play)
  const few = seedsFrom(0, effort.seeds)
  const more = seedsFrom(0, effort.moreSeeds)
  const seen = new Set([describe(HONEST)])
  const trials: Trial[] = []
  const promising = new Map<string, Trial>()
  for (let tries = 0; trials.length < effort.strategies && tries < 20 * effort.strategies; tries++) {
    const proposed = propose(random, trials.length < effort.strategies / 2 ? [] : ranked(promising))
    const strategy = { ...proposed, ...Object.fromEntries(closed.map(field => [field, HONEST[field]])) }
    const name = describe(strategy)
    if (seen.has(name)) continue
    seen.add(name)
    const trial = await measure(strategy, few)
    trials.push(trial)
    const bar = ranked(promising)[effort.finalists]?.profit.mean ?? Number.NEGATIVE_INFINITY
    // Strategies that few seeds cannot separate from the best are played with more seeds.
    if (trial.profit.mean + trial.profit.error > bar) promising.set(name, await measure(strategy, more))
  }
  const pruned = new Map<string, Trial>()
  for (const trial of ranked(promising).slice(0, 3 * effort.finalists)) {
    if (pruned.size === effort.finalists) break
    const simple = await prune(trial, strategy => measure(strategy, more))
    pruned.set(describe(simple.strategy), simple)
  }
  const rest = ranked(promising).filter(({ strategy }) => !pruned.has(describe(strategy)))
  const best = [...ranked(pruned), ...rest].slice(0, effort.finalists)
  return { tried: trials.length, best, trials }
}

function propose(random: RandomStream, best: readonly Trial[]): Strategy {
  const parent = best[random.integer(Math.max(1, Math.min(PARENTS, best.length)))]
  return parent === undefined ? randomStrategy(random) : mutated(parent.strategy, random)
}

/** Removes changes that do not add to the profit, so that a strategy shows what it exploits. */
async function prune(trial: Trial, measure: (strategy: Strategy) => Promise<Trial>): Promise<Trial> {
  let best = trial
  for (const field of Object.keys(HONEST) as (keyof Strategy)[]) {
    if (best.strategy[field] === HONEST[field]) continue
    const simpler = await measure({ ...best.strategy, [field]: HONEST[field] })
    if (simpler.profit.mean >= best.profit.mean) best = simpler
  }
  return best
}

function ranked(trials: ReadonlyMap<string, Trial>): Trial[] {
  return [...trials.values()].sort((a, b) => b.profit.mean - a.profit.mean)
}
