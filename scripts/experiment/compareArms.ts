import type { RowResult } from '../measure/row.ts'
import type { ArmRun, Point } from './runArm.ts'

/** Runs of an arm, one a seed. */
export type Runs = readonly (ArmRun & { seed: number })[]

/** A mean over seeds with half of its 95 % interval; null if there is one seed only. */
export type Interval = { mean: number; half: number | null }

/** Student's t, two-sided, 95 %, for 2 seeds and more. */
const T95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262]

export function interval(values: readonly number[]): Interval {
  const mean = meanOf(values)
  const t = T95[values.length - 2]
  if (t === undefined) return { mean, half: null }
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
  return { mean, half: t * Math.sqrt(variance / values.length) }
}

/** Whether the first lies above the second, intervals apart; null if one has no interval. */
const isAbove = (a: Interval, b: Interval) =>
  a.half === null || b.half === null ? null : a.mean - a.half > b.mean + b.half

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const lastOf = ({ points }: ArmRun) => points.at(-1) as Point

/** pass@1 of a run's peers after it generated so many tokens a peer, on a straight line between measurements. */
export function passAt(run: ArmRun, tokens: number): number {
  return along(run.points, tokens, point => point.tokens, pass)
}

type Spent = 'tokens' | 'updates' | 'round'

/** Tokens, updates or rounds of a peer after which a run's pass@1 first is at least this; null if it never is. */
export function spentTo(run: ArmRun, passAt1: number, figure: Spent): number | null {
  const at = run.points.findIndex(point => pass(point) >= passAt1)
  if (at < 0) return null
  const segment = run.points.slice(Math.max(0, at - 1), at + 1)
  return along(segment, passAt1, pass, point => point[figure])
}

const pass = ({ passAt1 }: Point) => meanOf(passAt1)

/** Linear between points whose x rises; the ends' values beyond them. */
function along(points: readonly Point[], at: number, x: (point: Point) => number, y: (point: Point) => number): number {
  const next = points.findIndex(point => x(point) >= at)
  const [a, b] = [points[Math.max(0, next - 1)] as Point, points.at(next) as Point]
  return x(b) === x(a) ? y(b) : y(a) + (y(b) - y(a)) * Math.min(1, (at - x(a)) / (x(b) - x(a)))
}

type Finals = {
  seeds: number
  passAt1: Interval
  gain: Interval
  /** Tokens of one peer, means over seeds. */
  tokens: number
  updates: number
}

/** Final results of an arm. */
export function finalsOf(runs: Runs): Finals {
  return {
    seeds: runs.length,
    passAt1: interval(runs.map(run => pass(lastOf(run)))),
    gain: interval(runs.map(run => pass(lastOf(run)) - pass(run.points[0] as Point))),
    tokens: meanOf(runs.map(run => lastOf(run).tokens)),
    updates: meanOf(runs.map(run => lastOf(run).updates)),
  }
}

/** Bars of a whole run; a quick one has one seed, and its intervals say nothing. */
export type Bars = { equalTokens: number; apart: boolean }

/** Duration of a round of the whole swarm by arm, measured on an idle machine; none of arms where it was not. */
export type RoundSeconds = ReadonlyMap<string, number>

/** Arms of one solver alone that makes at most as many updates as one that shares. */
const asManyUpdates = ['solo-updates', 'solo-four']

/** The rows of the experiment, from the finished runs. */
export function compareArms(
  found: ReadonlyMap<string, Runs>,
  { equalTokens, apart }: Bars,
  seconds: RoundSeconds = new Map(),
): RowResult[] {
  const of = (name: string) => found.get(name) ?? []
  const [solo, sharing] = [of('solo'), of('sharing')]
  const tokens = Math.min(...[...solo, ...sharing].map(run => lastOf(run).tokens))
  const ofUpdates = asManyUpdates.filter(name => of(name).length > 0)
  // A solver that may make as many updates may also make fewer.
  const best = ofUpdates.toSorted((a, b) => finalsOf(of(b)).gain.mean - finalsOf(of(a)).gain.mean)[0] ?? ''
  const ratios = ofUpdates.map(name => `${gainRatio(sharing, of(name)).toFixed(2)} against ${name}`)
  return [
    tokensRow(found, best, seconds),
    gainRow('gain-equal-tokens', { bar: equalTokens, apart }, sharing, solo, tokens),
    withNote(gainRow('gain-equal-updates', { bar: 1.4, apart }, sharing, of(best)), ratios.join(', ')),
    gainRow('gain-filtered-solo', { bar: 1, apart }, sharing, of('solo-filtered')),
  ]
}

const withNote = (row: RowResult, note: string): RowResult =>
  row.notRun ? row : { ...row, conditions: `${row.conditions}; ${note}` }

const gainRatio = (sharing: Runs, other: Runs) => finalsOf(sharing).gain.mean / finalsOf(other).gain.mean

/** @param best - the arm alone that gains most by as many updates; '' if none was run. */
function tokensRow(found: ReadonlyMap<string, Runs>, best: string, seconds: RoundSeconds): RowResult {
  const row = { name: 'tokens-to-solo-final', unit: "of solo's tokens", bar: 0.5 }
  const ofSolo = sharesTo(found, 'solo')
  if (ofSolo.seeds === 0) return { ...row, value: null, ok: false, conditions: 'not run yet', notRun: true }
  const final = `solo's final pass@1 of ${ofSolo.target.toFixed(3)}`
  if (ofSolo.tokens === null)
    return {
      ...row,
      value: null,
      ok: false,
      conditions: `${ofSolo.missed} of ${ofSolo.seeds} seeds never reached ${final}`,
    }
  const { mean: value } = ofSolo.tokens
  const conditions = [
    `generated tokens a peer until sharing has ${final}; ${told(ofSolo.tokens)}, ${ofSolo.seeds} seeds`,
    `there it has made ${ofSolo.updates.toFixed(2)} times solo's updates${timeTold(seconds, 'solo', ofSolo)}`,
    ...bestTold(sharesTo(found, best), best, seconds),
  ]
  return { ...row, value, ok: value <= row.bar, conditions: conditions.join('; ') }
}

/** Until sharing has the final pass@1 of an arm, as shares of what that spends; of runs of the same seeds. */
type Shares = {
  seeds: number
  target: number
  /** Seeds that never have it. */
  missed: number
  /** Null if a seed never has it. */
  tokens: Interval | null
  updates: number
  rounds: number
}

function sharesTo(found: ReadonlyMap<string, Runs>, name: string): Shares {
  const pairs = (found.get('sharing') ?? []).flatMap(run =>
    (found.get(name) ?? []).filter(({ seed }) => seed === run.seed).map(alone => ({ run, alone: lastOf(alone) })),
  )
  const target = meanOf(pairs.map(({ alone }) => pass(alone)))
  const shares = (figure: Spent) =>
    pairs.flatMap(({ run, alone }) => {
      const spent = spentTo(run, target, figure)
      return spent === null ? [] : [spent / alone[figure]]
    })
  const tokens = shares('tokens')
  const missed = pairs.length - tokens.length
  return {
    ...{ seeds: pairs.length, target, missed, tokens: missed > 0 ? null : interval(tokens) },
    ...{ updates: meanOf(shares('updates')), rounds: meanOf(shares('round')) },
  }
}

/** The time that sharing takes to an arm's final pass@1; nothing if either's rounds were not timed. */
function timeTold(seconds: RoundSeconds, name: string, { rounds }: Shares): string {
  const [ours, theirs] = [seconds.get('sharing'), seconds.get(name)]
  if (ours === undefined || theirs === undefined) return ''
  return ` and taken ${((rounds * ours) / theirs).toFixed(2)} times its seconds`
}

function bestTold(shares: Shares, name: string, seconds: RoundSeconds): string[] {
  if (shares.seeds === 0 || shares.tokens === null) return []
  return [
    `until it has the ${shares.target.toFixed(3)} of ${name}, ${told(shares.tokens)} of its tokens (${shares.seeds} seeds), ${shares.updates.toFixed(2)} times its updates${timeTold(seconds, name, shares)}`,
  ]
}

/** @param tokens - generated by a peer, at which gains are compared; at the end of the run if not given. */
function gainRow(
  name: string,
  { bar, apart }: { bar: number; apart: boolean },
  sharing: Runs,
  other: Runs,
  tokens = Number.POSITIVE_INFINITY,
): RowResult {
  const row = { name, unit: 'times the gain', bar }
  if (sharing.length === 0 || other.length === 0)
    return { ...row, value: null, ok: false, conditions: 'not run yet', notRun: true }
  const gains = (runs: Runs, at: number) => interval(runs.map(run => passAt(run, at) - pass(run.points[0] as Point)))
  const [ours, theirs] = [gains(sharing, tokens), gains(other, tokens)]
  const value = ours.mean / theirs.mean
  const areApart = isAbove(ours, theirs)
  const finals = [sharing, other].map(finalsOf)
  const spent = finals.map(
    ({ tokens: each, updates }) => `${Math.round(each)} tokens and ${Math.round(updates)} updates`,
  )
  const earlier = [0.25, 0.5].map(part => {
    const at = part * Math.min(tokens, ...[...sharing, ...other].map(run => lastOf(run).tokens))
    return `${(gains(sharing, at).mean / gains(other, at).mean).toFixed(2)} at ${part} of the tokens`
  })
  const conditions = [
    `gain in held-out pass@1 ${told(ours)} (${sharing.length} seeds) against ${told(theirs)} (${other.length} seeds)`,
    areApart === null ? 'no interval with one seed' : `intervals ${areApart ? 'apart' : 'overlap'}`,
    earlier.join(', '),
    `a peer's ${spent.join(' against ')}`,
  ]
  return { ...row, value, ok: value >= bar && (areApart === true || !apart), conditions: conditions.join('; ') }
}

export const told = ({ mean, half }: Interval) => `${mean.toFixed(3)}${half === null ? '' : ` ± ${half.toFixed(3)}`}`
