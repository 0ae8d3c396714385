import { loadEnvironments } from '../../node/src/environments/builtIn.ts'
import { measurePolicy } from '../../node/src/roles/models/measurePolicies.ts'
import type { RowResult } from '../measure/row.ts'
import type { Experiment, ExperimentOptions } from './experiment.ts'
import { keptRun, startOf } from './keptRuns.ts'
import { openSwarm, type Poison } from './openSwarm.ts'
import { poisons } from './poisons.ts'

const PEERS = 4
const LEVEL = 3
const BAR = 0.05

/** A run: pass@1 of the peers that are honest in every arm, and the groups that they refused to learn from, by reason. */
type Run = {
  passAt1: number[]
  refused: Record<string, number>
  /** Groups of the peer that poisons that they learned from. */
  learned: number
  seconds: number
}

/** A run of each seed that was played, by arm. */
type Found = Readonly<Record<string, readonly Pick<Run, 'passAt1' | 'learned'>[]>>

type Size = { rounds: number; seeds: number; tasks: number; samples: number }

const full: Size = { rounds: 12, seeds: 3, tasks: 100, samples: 4 }
const quick: Size = { rounds: 3, seeds: 1, tasks: 25, samples: 2 }

const arms: Record<string, Poison | null> = { none: null, ...poisons }

/** The share of pass@1 that honest solvers lose where one of four peers poisons, by the worst of the poisons. */
export const poisoned: Experiment = async options => {
  const size = options.quick ? quick : full
  const { starter } = await loadEnvironments()
  const start = await startOf(starter.spec)
  const found: Record<string, Run[]> = {}
  for (const [arm, poison] of Object.entries(arms)) {
    const bySeed: Run[] = []
    found[arm] = bySeed
    for (let seed = 1; seed <= size.seeds; seed++) {
      const sizes = Object.entries({ ...size, seeds: seed }).map(([key, value]) => `${key}-${value}`)
      const name = [arm, ...sizes, start].join('-')
      const run = await keptRun(options, name, () => runArm(poison, `seed ${seed}`, size, options))
      if (run === null) continue
      options.log(
        `${arm}, seed ${seed}: pass@1 ${run.passAt1.map(x => x.toFixed(3)).join(' ')}; learned from ${run.learned} poisoned groups, refused ${JSON.stringify(run.refused)}`,
      )
      bySeed[seed] = run
    }
  }
  return [poisonedRow(found, size.rounds)]
}

/** Without a group that was learned from, no poison was measured: the row has no value. */
export function poisonedRow(found: Found, rounds: number): RowResult {
  const compared = Object.keys(poisons).map(arm => ({ arm, ...compare(found.none ?? [], found[arm] ?? []) }))
  const told = compared.map(({ arm, honest, poisoned, seeds, learned }) =>
    seeds === 0
      ? `${arm} not run`
      : `${arm} ${poisoned.toFixed(3)} against ${honest.toFixed(3)} without poison (${seeds} seeds, ${learned} poisoned groups learned from)`,
  )
  const conditions = `pass@1 by execution after ${rounds} rounds, mean of ${PEERS - 1} honest peers: ${told.join(', ')}`
  const row = { name: 'poisoned-pass1', unit: 'of pass@1', bar: BAR, conditions }
  if (compared.some(({ seeds }) => seeds === 0)) return { ...row, value: null, ok: false, notRun: true }
  if (compared.every(({ learned }) => learned === 0))
    return { ...row, value: null, ok: false, conditions: `no poison was measured: ${conditions}` }
  const value = Math.max(...compared.map(({ honest, poisoned }) => (honest - poisoned) / honest))
  return { ...row, value, ok: value <= BAR }
}

/** Means over the seeds that both have: seeds differ by more than what is looked for. */
function compare(honest: Found[string], poisoned: Found[string]) {
  const seeds = [...honest.keys()].filter(seed => honest[seed] !== undefined && poisoned[seed] !== undefined)
  const over = (runs: Found[string]) => mean(seeds.map(seed => mean(runs[seed]?.passAt1 ?? [])))
  const learned = seeds.reduce((sum, seed) => sum + (poisoned[seed]?.learned ?? 0), 0)
  return { honest: over(honest), poisoned: over(poisoned), seeds: seeds.length, learned }
}

async function runArm(poison: Poison | null, seed: string, size: Size, options: ExperimentOptions): Promise<Run> {
  const startedMs = performance.now()
  const { starter: environment } = await loadEnvironments()
  const honest = Array.from({ length: PEERS - 1 }, () => null)
  const { threads, log } = options
  const swarm = await openSwarm({ environment, peers: [...honest, poison], seed, level: LEVEL, threads, write: log })
  const refused: Record<string, number> = {}
  let poisonedGroups = 0
  const passAt1: number[] = []
  try {
    for (let round = 1; round <= size.rounds; round++) {
      const learned = (await swarm.round()).filter(report => report !== null)
      for (const report of learned) {
        poisonedGroups += report.poisoned
        for (const [reason, groups] of Object.entries(report.refused)) refused[reason] = (refused[reason] ?? 0) + groups
      }
      log(`${seed}, round ${round}: mean reward ${mean(learned.map(({ meanReward }) => meanReward)).toFixed(3)}`)
    }
    for (const peer of swarm.peers.slice(0, PEERS - 1)) {
      const measurement = { level: LEVEL, tasks: size.tasks, samples: size.samples } as const
      passAt1.push((await measurePolicy({ ...peer, environment }, measurement)).passAt1)
    }
    swarm.throwIfDead()
  } finally {
    await swarm.close()
  }
  return { passAt1, refused, learned: poisonedGroups, seconds: Math.round((performance.now() - startedMs) / 1000) }
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
