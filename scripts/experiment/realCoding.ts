import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openModel } from '../../node/src/cli/options/modelOptions.ts'
import { kindOf, loadEnvironment, parseSpec } from '../../node/src/environments/builtIn.ts'
import type { Environment } from '../../node/src/environments/environment.ts'
import type { RowResult } from '../measure/row.ts'
import { type Interval, interval } from './compareArms.ts'
import type { Experiment, ExperimentOptions } from './experiment.ts'
import { digestOf, keptRun } from './keptRuns.ts'
import { runJson } from './realSwarm.ts'
import { type ArmRun, type ArmSize, runArm } from './runArm.ts'
import { smolModel } from './smolModel.ts'

const LEVEL = 1
const RANK = 16
const BAR = 0.2

/** Peers of each arm. One that is alone takes nothing, so that more would be further runs of it. */
const arms = { solo: 1, shared: 3 } as const
type ArmName = keyof typeof arms

type Size = ArmSize & { seeds: number }

/** Level 1 has eleven held-out functions. */
const full: Size = { at: [4, 8, 12, 18, 24], tasks: 11, samples: 16, seeds: 3 }
const quick: Size = { at: [2], tasks: 11, samples: 4, seeds: 1 }

/**
 * Whether a published model learns coding tasks: SmolLM2-135M with an adapter, by the rules that `waggle environment create` writes for it, alone and in a
 * swarm of three. All is in one process, by the code of the solver's role; answers are executed to measure them, and never for a reward.
 */
export const realCoding: Experiment = async options => {
  const size = options.quick ? quick : full
  const { environment, digest } = await coding(options)
  const found: Record<ArmName, ArmRun[]> = { solo: [], shared: [] }
  for (let seed = 1; seed <= size.seeds; seed++) {
    for (const arm of ['solo', 'shared'] as const) {
      const peers = Array.from({ length: arms[arm] }, () => null)
      const played = {
        name: arm,
        environment: environment as Environment,
        peers,
        level: LEVEL,
        adapter: { rank: RANK },
      } as const
      const name = `${arm}-seed-${seed}-rounds-${Math.max(...size.at)}-samples-${size.samples}-${digest}`
      const onlyKept = options.onlyKept || (options.arm ?? arm) !== arm
      const run = await keptRun({ ...options, onlyKept }, name, () => runArm(played, seed, size, options))
      if (run !== null) found[arm].push(run)
    }
  }
  return codingRows(found)
}

/** @returns `real-coding-gain` of a solver alone, and `real-coding-sharing-gain` over it. */
export function codingRows(found: Readonly<Record<ArmName, readonly ArmRun[]>>): RowResult[] {
  const [solo, shared] = [lastOf(found.solo), lastOf(found.shared)]
  const before = [...found.solo, ...found.shared].map(({ points }) => meanOf(points[0]?.passAt1 ?? []))
  const start = before.length === 0 ? null : meanOf(before)
  const conditions = `SmolLM2-135M-Instruct, rank ${RANK}, held-out functions of level ${LEVEL}, by execution; before ${start?.toFixed(3) ?? 'not run'}; solo ${told(solo, found.solo)}; shared ${told(shared, found.shared)}`
  const rowOf = (value: number | null) => {
    const row = { unit: 'of pass@1', conditions, value }
    return value === null ? ({ ...row, notRun: true } as const) : row
  }
  const gain = solo === null || start === null ? null : solo.mean - start
  const sharing = shared === null || solo === null ? null : shared.mean - solo.mean
  return [
    { ...rowOf(gain), name: 'real-coding-gain', bar: BAR, ok: gain !== null && gain >= BAR },
    { ...rowOf(sharing), name: 'real-coding-sharing-gain', bar: null, ok: sharing !== null },
  ]
}

/** pass@1 after the last round, over runs: the peers of one run are not independent. */
const lastOf = (runs: readonly ArmRun[]): Interval | null =>
  runs.length === 0 ? null : interval(runs.map(({ points }) => meanOf(points.at(-1)?.passAt1 ?? [])))

function told(last: Interval | null, runs: readonly ArmRun[]): string {
  if (last === null) return 'not run'
  const half = last.half === null ? '' : ` ± ${last.half.toFixed(3)}`
  const rounds = Math.max(...runs.map(({ points }) => points.at(-1)?.round ?? 0))
  return `${last.mean.toFixed(3)}${half} after ${rounds} rounds (${runs.length} ${runs.length === 1 ? 'seed' : 'seeds'})`
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

/** The environment, and the digest of its rules, by which runs are named: those of the last run, without the environment, if only kept ones are wanted. */
async function coding(options: ExperimentOptions): Promise<{ environment: Environment | null; digest: string }> {
  const path = join(options.data, 'coding.json')
  const model = options.onlyKept ? '' : await specify(options, path)
  const text = await readFile(path, 'utf8').catch(() => '')
  const digest = digestOf(text)
  if (options.onlyKept) return { environment: null, digest }
  const spec = parseSpec(JSON.parse(text))
  const folders = { modelFolder: await openModel(model, {}), judgeFolder: kindOf(spec).judgeOf(spec) }
  return { environment: await loadEnvironment(spec, folders), digest }
}

/** Writes the specification. @returns the model. */
async function specify({ data, log }: ExperimentOptions, path: string): Promise<string> {
  const model = await smolModel(join(data, 'model'))
  await mkdir(data, { recursive: true })
  // Of an earlier run.
  await rm(path, { force: true })
  await runJson(['node/src/cli/main.ts', 'environment', 'create', '--model', model, '--out', path, '--json'], log)
  return model
}
