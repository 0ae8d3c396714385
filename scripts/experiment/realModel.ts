import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseSpec } from '../../node/src/environments/builtIn.ts'
import type { EnvironmentSpec } from '../../node/src/environments/environmentSpec.ts'
import { datedBy, type Experiment, type ExperimentOptions } from './experiment.ts'
import { digestOf, keptRun } from './keptRuns.ts'
import { type ArmName, type RealFound, type RealRun, realRows } from './realRows.ts'
import { realSwarm, runJson } from './realSwarm.ts'
import { recordReal } from './recordReal.ts'
import { smolModel } from './smolModel.ts'

const cli = 'node/src/cli/main.ts'
/** File of a finished run, for documents. */
const RECORD = join(import.meta.dirname, '../../docs/experiments/real-model')
const PORT = 4_300
const LEVEL = 1
/** The preset's. */
const TASKS_PER_ROUND = 24
/** Arithmetic. */
const FAMILIES = ['sum', 'product', 'chain', 'gcd']

type Size = {
  /** Of each arm, one after another: keys, and so tasks and seeds, are others in each. */
  runs: number
  rounds: number
  /** Held-out questions that are asked for, and answers to each: level 1 of the smaller families has fewer. */
  tasks: number
  samples: number
}

const full: Size = { runs: 3, rounds: 24, tasks: 100, samples: 8 }
const quick: Size = { runs: 1, rounds: 3, tasks: 20, samples: 4 }

/**
 * Whether a published model learns in a whole swarm: SmolLM2-135M with adapters on the arithmetic families of the Reasoning environment, three
 * solvers and two evaluators as processes on a local chain, against the same solvers that take nothing from each other. Both generate as much.
 */
export const realModel: Experiment = async options => {
  const size = options.quick ? quick : full
  const { data, log } = options
  const model = options.onlyKept ? '' : await smolModel(join(data, 'model'))
  const rules = { shared: await rulesOf(options, model, 'shared'), solo: await rulesOf(options, model, 'solo') }
  const measured = (arm: ArmName) => `distinct-${size.tasks}-samples-${size.samples}-${rules[arm].digest}`
  const start = () =>
    keptRun(options, `before-${measured('shared')}`, async () => {
      const { specification } = rules.shared
      const { tasks, accuracy } = await measure(specification, { model, policies: ['starter'], size, log })
      return { tasks, accuracy: accuracy[0] ?? 0 }
    })
  const play = (arm: ArmName, run: number) => {
    const onlyKept = options.onlyKept || (options.arm ?? arm) !== arm
    return keptRun<RealRun>(
      { ...options, onlyKept },
      `${arm}-run-${run}-rounds-${size.rounds}-${measured(arm)}`,
      async () => {
        const { specification, digest } = rules[arm]
        // A folder's chain and peers are of one environment: other rules need another folder.
        const folder = join(data, `${arm}-swarm-${size.rounds}-run-${run}-${digest}`)
        const { policies, rounds } = await realSwarm({
          ...{ folder, specification, model, rounds: size.rounds, port: PORT },
          log: line => log(`${arm} ${run}: ${line}`),
        })
        const { accuracy } = await measure(specification, { model, policies, size, log })
        return { accuracy, rounds }
      },
    )
  }
  const before = await start()
  const found: RealFound = { before: before?.accuracy ?? null, arms: { shared: [], solo: [] } }
  for (let run = 1; run <= size.runs; run++) {
    for (const arm of ['shared', 'solo'] as const) {
      const played = await play(arm, run)
      if (played !== null) found.arms[arm].push(played)
    }
  }
  const rows = realRows(found, questionsOf(size, before?.tasks ?? null))
  if (!options.quick && found.arms.shared.length + found.arms.solo.length > 0) {
    await recordReal(RECORD, found, rows, await datedBy(options.measured, join(RECORD, 'real-model.json')))
  }
  return rows
}

/** @param distinct - held-out questions that were asked; null if nothing was measured. */
const questionsOf = ({ tasks, samples }: Size, distinct: number | null) =>
  `SmolLM2-135M-Instruct, rank 16, ${TASKS_PER_ROUND} questions a solver and round, ${distinct === null ? `at most ${tasks}` : distinct} distinct held-out questions x ${samples} answers`

type Measured = { model: string; policies: readonly string[]; size: Size; log: (line: string) => void }

/** Exact accuracy of each policy on the held-out questions, by the environment's program, and how many those are. */
async function measure(
  specification: string,
  { model, policies, size, log }: Measured,
): Promise<{ tasks: number; accuracy: number[] }> {
  const argv = [cli, 'eval', '--environment', specification, '--model', model, '--level', `${LEVEL}`, '--json']
  argv.push('--tasks', `${size.tasks}`, '--samples', `${size.samples}`, '--threads', '2')
  for (const policy of policies) argv.push('--policy', policy)
  const found = await runJson<{ policies: { policy: string; tasks: number; passAt1: number }[] }>(argv, log)
  const accuracy = policies.map(policy => found.policies.find(one => one.policy === policy)?.passAt1 ?? Number.NaN)
  return { tasks: found.policies[0]?.tasks ?? 0, accuracy }
}

/** The path of an arm's specification, and its digest, by which runs are named: that of the last run, if only kept ones are wanted. */
async function rulesOf(options: ExperimentOptions, model: string, arm: ArmName) {
  const specification = options.onlyKept ? join(options.data, `${arm}.json`) : await specify(options, model, arm)
  const text = await readFile(specification, 'utf8').catch(() => '')
  return { specification, digest: digestOf(text) }
}

/** Writes the specification of an arm. The solo arm's differs in that nobody takes groups. */
async function specify({ data, log }: ExperimentOptions, model: string, arm: ArmName): Promise<string> {
  const path = join(data, `${arm}.json`)
  await mkdir(data, { recursive: true })
  // Of an earlier run.
  await rm(path, { force: true })
  await runJson([cli, 'environment', 'create', '--kind', 'reasoning', '--model', model, '--out', path, '--json'], log)
  const spec = parseSpec({ ...JSON.parse(await readFile(path, 'utf8')), families: FAMILIES })
  const changed: EnvironmentSpec = {
    ...spec,
    tasksPerRound: TASKS_PER_ROUND,
    owedLeaves: TASKS_PER_ROUND * spec.groupSize,
    sharing: { ...spec.sharing, peers: arm === 'solo' ? 0 : spec.sharing.peers },
    // The accuracy of each round's own answers is the curve. Small families repeat their questions between rounds.
    canary: { ...spec.canary, everyRounds: 1000 },
  }
  await writeFile(path, `${JSON.stringify(changed, null, 2)}\n`)
  return path
}
