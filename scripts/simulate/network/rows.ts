import type { KeptRow } from '../../measure/results.ts'
import { holds } from '../../measure/row.ts'
import type { SwarmAudit } from './auditSwarm.ts'
import { simulateDiscovery } from './discovery.ts'
import { faultsOf } from './faults.ts'
import { hostileKindOf, hostileKinds } from './hostilePeers.ts'
import { simulateMessages } from './messages.ts'
import { type SwarmOptions, type SwarmResult, simulateSwarm } from './simulateSwarm.ts'

/** As the kept results of benchmarks have it, but for day and machine. */
export type Row = Omit<KeptRow, 'date' | 'machine'> & { bar: number }

/** All rows, in the order in which they are kept. */
export const networkRowNames = [
  { name: 'sim-honest-score-loss', better: 'less' },
  { name: 'audit-false-alarms', better: 'less' },
  { name: 'audit-checked', better: 'more' },
  { name: 'sim-roles-ended', better: 'less' },
  { name: 'sim-1k-honest-score-loss', better: 'less' },
  { name: 'sim-10k-messages', better: 'less' },
  { name: 'sim-discovery', better: 'more' },
] as const

type RowName = (typeof networkRowNames)[number]['name']
type Found = { value: number | null; unit: string; bar: number; conditions: string }

function rowOf(name: RowName, { value, unit, bar, conditions }: Found): Row {
  const better = networkRowNames.find(row => row.name === name)?.better ?? 'less'
  const kept = value === null ? null : Number(value.toPrecision(4))
  return { name, value: kept, unit, bar, better, ok: holds({ bar, better }, value), conditions }
}

/** Seeds are counted from `first`. */
export type Extent = { first: number; peers: number; seeds: number; rounds: number; honestRounds: number }

/** As the bars ask for. */
export const WHOLE: Extent = { first: 0, peers: 100, seeds: 20, rounds: 2, honestRounds: 1_000 }
export const QUICK: Extent = { first: 0, peers: 30, seeds: 2, rounds: 2, honestRounds: 4 }

/** The small swarms that bring an extent to its honest rounds. */
const SMALL = { peers: 12, rounds: 8 }

/** Settings of a run with one seed of its extent. */
export const ofSeed = (extent: Extent, seed: number): Extent =>
  seed < extent.seeds
    ? { ...extent, first: seed, seeds: 1, honestRounds: 0 }
    : { ...extent, first: seed, seeds: 0, honestRounds: SMALL.rounds }

/** No policy is named before round 0, so that round 0 earns no points. */
const FIRST_ROUND = 1

/** Plays one swarm with a fifth of its solvers and of its seats hostile, all kinds mixed. */
export function playHostile(seed: string, { peers, rounds }: Pick<Extent, 'peers' | 'rounds'>): Promise<SwarmResult> {
  return simulateSwarm({ ...withFaults(seed, peers, rounds), conduct: mixed(seed) })
}

/** Plays the same swarm with all faults but without hostile peers, and audits it. */
export function playHonest(seed: string, { peers, rounds }: Pick<Extent, 'peers' | 'rounds'>): Promise<SwarmResult> {
  return simulateSwarm({ ...withFaults(seed, peers, rounds), audited: true })
}

const KINDS = Object.values(hostileKinds).flatMap(kinds => Object.keys(kinds)).length

/** After the rounds that count, the chain names other rules, by which nobody here plays. */
const withFaults = (seed: string, peers: number, rounds: number): SwarmOptions => ({
  ...{ seed, peers, rounds, otherRulesFrom: rounds + 1 },
  faults: faultsOf(seed, rounds),
})

const mixed =
  (seed: string): NonNullable<SwarmOptions['conduct']> =>
  (number, member, medium) => {
    const kind = hostileKindOf(seed, number, member.role)
    return kind === null ? null : (hostileKinds[member.role][kind]?.(medium, member) ?? null)
  }

/** Points of solvers that are honest wherever they are compared, thousandths. */
export function honestPoints(
  { settled, solvers }: SwarmResult,
  hostile: SwarmResult['hostile'],
  rounds: number,
): number {
  const honest = new Set(solvers.filter(key => !hostile.has(key)))
  const counting = settled.filter(one => one.round >= FIRST_ROUND && one.round <= rounds && honest.has(one.peerKey))
  return counting.reduce((sum, { scoreMilli }) => sum + scoreMilli, 0)
}

/** Null if there were no points to lose: that nothing was lost then says nothing. */
export const shareLost = (left: number, whole: number) => (whole === 0 ? null : Math.max(0, 1 - left / whole))

/** In an honest swarm: peers that were called false, or scored 0 with a named policy, and accusations of an audit. */
export function falseAlarms({ challenged, settled, audit }: SwarmResult): number {
  const lost = settled.filter(one => one.round >= FIRST_ROUND && one.outcome === 'scored' && one.scoreMilli < 1000)
  return challenged.length + lost.length + auditAlarms(audit)
}

/** Settlements that do not follow from the votes, votes that are off, and settled scores that are. */
export function auditAlarms(audit: SwarmAudit | null): number {
  const { findings = [], rounds = [] } = audit ?? {}
  const differing = peersOf(rounds).filter(({ verdict }) => verdict === 'differs')
  return findings.length + differing.length + rounds.flatMap(({ disagreements }) => disagreements).length
}

/** Settled scores that an audit derived again: of others it says nothing. */
export function scoresChecked(audit: SwarmAudit | null): number {
  return peersOf(audit?.rounds ?? []).filter(({ verdict }) => verdict === 'agrees' || verdict === 'differs').length
}

const peersOf = (rounds: SwarmAudit['rounds']) => rounds.flatMap(({ peers }) => peers)

/** Peers of the swarm for peer discovery, and the share of addresses that are fake. */
const DISCOVERY = { peers: 1_000, sybilShare: 0.3, roundSec: 60 }

/** The swarms whose peers are compared, and for how long: steady traffic is the same in every two minutes. */
const MESSAGES = { few: 100, many: 10_000, roundSec: 120 }

/** The swarm of real roles that is played once: five minutes and 3 GB. */
const LARGE = { peers: 1_000, rounds: 1 }

const plays = { 'sim-1k-honest-score-loss': largeRow, 'sim-10k-messages': messagesRow, 'sim-discovery': discoveryRow }
export const longRowNames = Object.keys(plays)

/** Rows of thousands of peers. */
export async function longRows(names: readonly string[]): Promise<Row[]> {
  const rows: Row[] = []
  for (const [name, play] of Object.entries(plays)) if (names.includes(name)) rows.push(await play())
  return rows
}

async function largeRow(): Promise<Row> {
  const { peers, rounds } = LARGE
  const swarm = await playHostile('1', LARGE)
  const honest = swarm.solvers.filter(key => !swarm.hostile.has(key)).length
  const points = honestPoints(swarm, swarm.hostile, rounds)
  return rowOf('sim-1k-honest-score-loss', {
    ...{ value: 1 - points / (1000 * honest * rounds), unit: 'share of all their points', bar: 0.02 },
    conditions: `${honest} honest solvers; ${swarm.hostile.size} of ${peers} peers hostile, solvers and seats, all kinds mixed; ${rounds} round, seed 1, with faults; ${swarm.failures.length} roles ended`,
  })
}

async function messagesRow(): Promise<Row> {
  const { few, many, roundSec } = MESSAGES
  const handled = (peers: number) => simulateMessages({ seed: '1', peers, roundSec })
  const [ofFew, ofMany] = [await handled(few), await handled(many)]
  return rowOf('sim-10k-messages', {
    ...{ value: ofMany / ofFew, unit: `times those of ${few} peers`, bar: 2 },
    conditions: `${ofMany} messages in ${roundSec} s at the 99th percentile of ${many} peers, ${ofFew} of ${few}; seed 1`,
  })
}

async function discoveryRow(): Promise<Row> {
  const { honest, reaching, missed, afterSec } = await simulateDiscovery({ seed: '1', ...DISCOVERY })
  return rowOf('sim-discovery', {
    ...{ value: reaching / honest, unit: 'share of honest peers', bar: 0.99 },
    conditions: `${honest} honest peers that start at once, ${100 * DISCOVERY.sybilShare} % sybil addresses; ${missed} authors not reached after ${afterSec} s; seed 1`,
  })
}

/** The rows with bars. */
export async function networkRows(extent: Extent, say: (line: string) => void): Promise<Row[]> {
  let [honest, hostile, alarms, ended, played, checked, due] = [0, 0, 0, 0, 0, 0, 0]
  const audited = (quiet: SwarmResult, rounds: number) => {
    alarms += falseAlarms(quiet)
    played += rounds
    checked += scoresChecked(quiet.audit)
    due += peersOf(quiet.audit?.rounds ?? []).length
  }
  const { first, seeds } = extent
  for (let seed = first; seed < first + seeds; seed++) {
    const attacked = await playHostile(String(seed), extent)
    const quiet = await playHonest(String(seed), extent)
    const [left, whole] = [attacked, quiet].map(swarm => honestPoints(swarm, attacked.hostile, extent.rounds))
    hostile += left ?? 0
    honest += whole ?? 0
    audited(quiet, extent.rounds)
    ended += attacked.failures.length + quiet.failures.length
    for (const { peerId, error } of [...attacked.failures, ...quiet.failures])
      say(`seed ${seed}: ${peerId} ended: ${error}`)
    say(
      `seed ${seed}: ${attacked.events + quiet.events} events, ${left} thousandths of points to honest peers, ${whole} without hostile ones, ${falseAlarms(quiet)} accusations`,
    )
  }
  for (let seed = first + seeds; played < extent.honestRounds; seed++) {
    const quiet = await simulateSwarm({ seed: String(seed), ...SMALL, audited: true })
    audited(quiet, SMALL.rounds)
    if (falseAlarms(quiet) > 0) say(`seed ${seed}: ${falseAlarms(quiet)} accusations`)
  }
  say(`${checked} of ${due} scores of ${played} honest rounds were derived again from what peers serve`)
  const scores = `${checked} scores of ${played} honest rounds`
  const swarms = `${extent.peers} peers, ${extent.rounds} rounds, ${seeds} seeds, with faults`
  const attacked = [
    rowOf('sim-honest-score-loss', {
      ...{ value: shareLost(hostile, honest), unit: 'share of settled points', bar: 0.02 },
      conditions: `a fifth of solvers and of seats hostile, all ${KINDS} kinds mixed, against none; ${swarms}; without appeals`,
    }),
    rowOf('sim-roles-ended', { value: ended, unit: 'roles', bar: 0, conditions: swarms }),
  ]
  return [
    // One of the small swarms alone has no attack.
    ...(seeds === 0 ? [] : attacked),
    rowOf('audit-false-alarms', { value: alarms, unit: 'accusations', bar: 0, conditions: `in ${scores}` }),
    rowOf('audit-checked', {
      ...{ value: checked / due, unit: 'share of their scores', bar: 0.95 },
      conditions: `derived again from what peers serve, in ${played} honest rounds`,
    }),
  ]
}
