import { performance } from 'node:perf_hooks'
import { ALL_DEFENCES, SETTING } from './defences.ts'
import { ModelLedger } from './ledgers/modelLedger.ts'
import { openChain } from './ledgers/openChain.ts'
import { openMeasure, openModel, type PlaySeed, ROUNDS, seedsFrom, type Trial } from './measure.ts'
import { playGame } from './playGame.ts'
import { type NamedRow, playNamed } from './playNamed.ts'
import { type Effort, searchStrategies } from './search.ts'
import { describe, HONEST, type Strategy } from './strategy.ts'

/** Extent of the simulation. */
export interface Extent {
  /** Strategies of each of the two searches. */
  readonly search: Effort
  /** Seeds of a finalist on the real contracts, none of which was used before. */
  readonly chainSeeds: number
  readonly chainFinalists: number
  /** Seeds that decide, on the model, about those that earn most on the contracts. */
  readonly decidingSeeds: number
  /** The same for runs of many rounds. */
  readonly lastingSeeds: number
  readonly namedSeeds: number
}

export const WHOLE: Extent = {
  search: { strategies: 1_000, seeds: 12, moreSeeds: 40, finalists: 20 },
  chainSeeds: 100,
  chainFinalists: 20,
  decidingSeeds: 1_500,
  lastingSeeds: 400,
  namedSeeds: 40,
}
export const QUICK: Extent = {
  search: { strategies: 60, seeds: 6, moreSeeds: 12, finalists: 3 },
  chainSeeds: 6,
  chainFinalists: 3,
  decidingSeeds: 60,
  lastingSeeds: 20,
  namedSeeds: 12,
}

/** Griefing that costs less than this share of its coalition's pay counts as costing that. */
const CHEAP = 0.01
/** Above all seeds that the search plays. */
const FRESH_SEEDS = 1_000
/** Above those: what was chosen by some seeds is not measured by them. */
const DECIDING_SEEDS = 10_000
/** Number of finalists that are measured on the contracts. */
const DECIDED = 3
/** Rounds of work after which every key has eight scores, for what pays on a new chain alone, or only after a while. */
const LASTING_ROUNDS = 12

export interface FreeResult {
  readonly tried: number
  readonly named: readonly NamedRow[]
  /** The best found, on the real contracts, by profit. */
  readonly best: readonly Trial[]
  /** The first of those again, by many fresh seeds on the model, which is the contracts to the wei. */
  readonly decided: readonly Trial[]
  /** Those over twelve rounds of work. */
  readonly lasting: readonly Trial[]
  /** The best without appeals, on the model. */
  readonly withoutAppeals: Trial | null
  /** The strategy that costs honest peers most for each Nectar that it costs its coalition, on the model. */
  readonly griefing: Trial | null
  /** The field that the best depends on; the second search leaves it honest. */
  readonly closed: string
  /** Runs on the contracts that differ from the model's by a wei. */
  readonly differing: number
  readonly chainRuns: number
}

/** Searches twice on the model: the second time without the field that the best of the first depends on. Then plays the best on the contracts. */
export async function simulateFree(extent: Extent, say: (line: string) => void): Promise<FreeResult> {
  const startedAt = performance.now()
  const tell = (line: string) => say(`${((performance.now() - startedAt) / 60_000).toFixed(1)} min: ${line}`)
  const named = await playNamed(extent.namedSeeds)
  tell('named attacks are played')
  const model = await openModel()
  const first = await searchStrategies(model, extent.search, 'first')
  const closed = await livesFrom(model, first.best[0], extent.search.moreSeeds)
  tell(`${first.tried} strategies are tried; the best lives from ${closed ?? 'nothing'}`)
  const second = await searchStrategies(model, extent.search, 'second', closed === null ? [] : [closed])
  tell(`${second.tried} more are tried without that`)
  const half = Math.ceil(extent.chainFinalists / 2)
  const finalists = [...first.best.slice(0, half), ...second.best.slice(0, extent.chainFinalists - half)]
  const unappealed = await openModel({ ...SETTING, defences: { ...ALL_DEFENCES, honestAppeals: false } })
  const effort = { ...extent.search, strategies: Math.ceil(extent.search.strategies / 4) }
  const third = await searchStrategies(unappealed, effort, 'third', closed === null ? [] : [closed])
  tell(`${third.tried} are tried where nobody appeals`)
  const griefing = await findGriefing(model, [...first.trials, ...second.trials], extent.search.moreSeeds)
  const chain = await openBoth()
  const measure = openMeasure(chain.play)
  const best: Trial[] = []
  for (const { strategy } of finalists) {
    best.push(await measure(strategy, seedsFrom(FRESH_SEEDS, extent.chainSeeds)))
    tell(`${best.length} of ${finalists.length} are played on the contracts: ${describe(strategy)}`)
  }
  best.sort((a, b) => b.profit.mean - a.profit.mean)
  const decide = openMeasure(model)
  const decided: Trial[] = []
  for (const { strategy } of best.slice(0, DECIDED))
    decided.push(await decide(strategy, seedsFrom(DECIDING_SEEDS, extent.decidingSeeds)))
  tell(`${decided.length} are played again, ${extent.decidingSeeds} times`)
  const last = openMeasure(await openModel(SETTING, new Map(), LASTING_ROUNDS))
  const lasting: Trial[] = []
  for (const { strategy } of decided) lasting.push(await last(strategy, seedsFrom(DECIDING_SEEDS, extent.lastingSeeds)))
  tell(`and over ${LASTING_ROUNDS} rounds, ${extent.lastingSeeds} times`)
  const tried = first.tried + second.tried
  const withoutAppeals = third.best[0] ?? null
  return { tried, named, best, decided, lasting, withoutAppeals, griefing, closed: closed ?? 'nothing', ...chain.runs }
}

/** Measures the strategies that look worst on few seeds again on more. Returns the one that costs others most, relative to its own cost. */
async function findGriefing(model: PlaySeed, trials: readonly Trial[], seeds: number): Promise<Trial | null> {
  const measure = openMeasure(model)
  const ratio = ({ profit, ownPay, honestLoss, honestPay }: Trial) =>
    (honestLoss.mean * honestPay) / (Math.max(CHEAP, -profit.mean) * ownPay)
  const again: Trial[] = []
  for (const { strategy } of [...trials].sort((a, b) => ratio(b) - ratio(a)).slice(0, 20))
    again.push(await measure(strategy, seedsFrom(0, seeds)))
  return again.sort((a, b) => ratio(b) - ratio(a))[0] ?? null
}

/** The field without which the best earns least. */
async function livesFrom(model: PlaySeed, best: Trial | undefined, seeds: number): Promise<keyof Strategy | null> {
  if (best === undefined) return null
  const measure = openMeasure(model)
  let worst: { field: keyof Strategy; mean: number } | null = null
  for (const field of Object.keys(HONEST) as (keyof Strategy)[]) {
    if (best.strategy[field] === HONEST[field]) continue
    const { profit } = await measure({ ...best.strategy, [field]: HONEST[field] }, seedsFrom(0, seeds))
    if (worst === null || profit.mean < worst.mean) worst = { field, mean: profit.mean }
  }
  return worst?.field ?? null
}

/** Plays each run on the contracts and on the model, and compares them to the wei. */
async function openBoth() {
  const chain = await openChain([])
  const runs = { chainRuns: 0, differing: 0 }
  const play: PlaySeed = async (strategy, seed) => {
    const game = { strategy, setting: SETTING, rounds: ROUNDS }
    const facts = chain.factsOf(seed)
    const played = await playGame(await chain.begin(seed), facts, chain.cast, game)
    const model = await playGame(new ModelLedger(facts, chain.cast, SETTING.defences), facts, chain.cast, game)
    runs.chainRuns++
    if ([...played.wei].some(([name, wei]) => model.wei.get(name) !== wei)) runs.differing++
    return played
  }
  return { play, runs }
}
