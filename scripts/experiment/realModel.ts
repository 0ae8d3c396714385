import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseSpec } from '../../node/src/environments/builtIn.ts'
import type { EnvironmentSpec } from '../../node/src/environments/environmentSpec.ts'
import type { RowResult } from '../bench/row.ts'
import type { Experiment, ExperimentOptions } from './experiment.ts'
import { keptRun } from './keptRuns.ts'
import { type RealRun, realSwarm, runJson } from './realSwarm.ts'
import { smolModel } from './smolModel.ts'

const cli = 'node/src/cli/main.ts'
const PORT = 4_300
const LEVEL = 1
const ACCURACY_BAR = 0.3

type Size = {
  rounds: number
  /** A round of a sharing swarm has three updates of each solver, one of a solo solver one. */
  roundSeconds: { shared: number; solo: number }
}

const full: Size = { rounds: 40, roundSeconds: { shared: 150, solo: 90 } }
const quick: Size = { rounds: 3, roundSeconds: { shared: 120, solo: 90 } }

type ArmName = keyof Size['roundSeconds']

/**
 * Whether a published model learns in a whole swarm: SmolLM2-135M with adapters on the arithmetic families of the Reasoning environment, three
 * solvers and two evaluators as processes on a local chain, against the same solvers that take nothing from each other. Both generate as much.
 */
export const realModel: Experiment = async options => {
  const size = options.quick ? quick : full
  const { data, log } = options
  const model = options.onlyKept ? '' : await smolModel(join(data, 'model'))
  const before = await keptRun(options, 'before', async () => {
    const argv = [cli, 'eval', '--environment', await specify(options, model, 'shared'), '--model', model]
    const settings = ['--level', `${LEVEL}`, '--threads', '2', '--json']
    const { policies } = await runJson<{ policies: { passAt1: number }[] }>([...argv, ...settings], log)
    return policies[0]?.passAt1 ?? 0
  })
  const play = (arm: ArmName) =>
    keptRun(options, `${arm}-rounds-${size.rounds}`, async () =>
      realSwarm({
        ...{ folder: join(data, `${arm}-swarm-${size.rounds}`), model, port: PORT, log },
        ...{ rounds: size.rounds, roundSeconds: size.roundSeconds[arm] },
        specification: await specify(options, model, arm),
      }),
    )
  const shared = await play('shared')
  const solo = await play('solo')
  return rowsOf(before, shared, solo)
}

/** Writes the specification of an arm, once. The solo arm's differs in that nobody takes groups. */
async function specify({ data, log }: ExperimentOptions, model: string, arm: ArmName): Promise<string> {
  const path = join(data, `${arm}.json`)
  await mkdir(data, { recursive: true })
  await runJson([cli, 'environment', '--kind', 'reasoning', '--model', model, '--out', path, '--json'], log)
  const spec = parseSpec(JSON.parse(await readFile(path, 'utf8')))
  const peers = arm === 'solo' ? 0 : spec.sharing.peers
  const changed: EnvironmentSpec = { ...spec, sharing: { ...spec.sharing, peers } }
  await writeFile(path, `${JSON.stringify(changed, null, 2)}\n`)
  return path
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

function rowsOf(before: number | null, shared: RealRun | null, solo: RealRun | null): RowResult[] {
  const gainOf = (run: RealRun | null) => (run === null || before === null ? null : mean(run.accuracy) - before)
  const told = (run: RealRun | null) =>
    run === null ? 'not run' : `${run.accuracy.map(x => x.toFixed(3)).join(', ')} after ${run.rounds} rounds`
  const conditions = `SmolLM2-135M-Instruct, rank 16, 100 held-out questions x 8 answers; before ${before?.toFixed(3) ?? 'not run'}; shared ${told(shared)}; solo ${told(solo)}; one run of each`
  const [gain, soloGain] = [gainOf(shared), gainOf(solo)]
  const row = { unit: 'exact accuracy', conditions }
  const sharing = gain === null || soloGain === null ? null : gain - soloGain
  return [
    { ...row, name: 'real-accuracy-gain', value: gain, bar: ACCURACY_BAR, ok: gain !== null && gain >= ACCURACY_BAR },
    { ...row, name: 'real-sharing-gain', value: sharing, bar: null, ok: sharing !== null },
  ]
}
