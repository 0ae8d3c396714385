import { join } from 'node:path'
import { loadEnvironments } from '../../node/src/environments/builtIn.ts'
import type { Environment } from '../../node/src/environments/environment.ts'
import { type Arm, arms } from './arms.ts'
import { compareArms, type Runs } from './compareArms.ts'
import { datedBy, type Experiment } from './experiment.ts'
import { keptRun, startOf } from './keptRuns.ts'
import { type Found, recordArms, tableOf } from './recordArms.ts'
import { type ArmSize, type PlayedArm, runArm, secondsPerRound } from './runArm.ts'

const PEERS = 4
const LEVEL = 3

type Size = ArmSize & {
  /** Seeds of the arms that are compared most. */
  seeds: number
  /** Seeds of the other arms. */
  fewerSeeds: number
  arms: readonly string[]
  /** Gain over solo's at equal tokens. */
  equalTokens: number
}

const comparedMost = ['solo', 'sharing', 'solo-updates']
const inRows = [...comparedMost, 'solo-filtered', 'solo-four']

const full: Size = {
  ...{ at: [5, 10, 15, 20, 30, 40], tasks: 100, samples: 2 },
  ...{ seeds: 5, fewerSeeds: 3, arms: arms.map(({ name }) => name), equalTokens: 2 },
}
const quick: Size = {
  ...{ at: [4, 8, 12], tasks: 100, samples: 2 },
  ...{ seeds: 1, fewerSeeds: 1, arms: inRows, equalTokens: 1.2 },
}

/** Whether peers that share learn faster than one alone: at equal tokens, at equal updates and against filtering. */
export const swarmVsSolo: Experiment = async options => {
  const size = options.quick ? quick : full
  const { starter } = await loadEnvironments()
  const runs = new Map<string, Runs>(size.arms.map(name => [name, []]))
  for (const { arm, seed } of inOrder(size)) {
    const name = nameOf(arm, seed, size, await startOf(arm.spec(starter.spec)))
    const run = await keptRun(options, name, () => runArm(played(arm, starter), seed, size, options))
    if (run) runs.set(arm.name, [...(runs.get(arm.name) ?? []), { ...run, seed }])
  }
  const found: Found[] = []
  for (const arm of arms) {
    const ofArm = runs.get(arm.name) ?? []
    if (ofArm.length === 0) continue
    const timed = `${arm.name}-seconds-${await startOf(arm.spec(starter.spec))}`
    const seconds = options.quick
      ? null
      : await keptRun(options, timed, () => secondsPerRound(played(arm, starter), options))
    found.push({ arm, runs: ofArm, secondsPerRound: seconds })
  }
  const seconds = new Map(
    found.flatMap(one => (one.secondsPerRound === null ? [] : [[one.arm.name, one.secondsPerRound]])),
  )
  const rows = compareArms(runs, { equalTokens: size.equalTokens, apart: !options.quick }, seconds)
  if (found.length === 0) return rows
  const folder = options.quick ? join(options.data, 'quick') : options.data
  await recordArms(folder, found, rows, await datedBy(options.measured, join(folder, 'swarm-vs-solo.json')))
  options.log(tableOf(found))
  return rows
}

/** Every fourth peer may poison. */
function played({ name, spec, poison }: Arm, starter: Environment): PlayedArm {
  const peers = Array.from({ length: PEERS }, (_, i) => (i === PEERS - 1 ? (poison ?? null) : null))
  return { name, environment: { ...starter, spec: spec(starter.spec) }, peers, level: LEVEL }
}

/** The arms of the rows first, seed by seed, so that a run that was stopped compares something. */
function inOrder({ arms: asked, seeds, fewerSeeds }: Size): { arm: Arm; seed: number }[] {
  const upTo = (names: readonly string[], from: number, to: number) =>
    Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i).flatMap(seed =>
      arms.filter(({ name }) => asked.includes(name) && names.includes(name)).map(arm => ({ arm, seed })),
    )
  const others = asked.filter(name => !inRows.includes(name))
  return [...upTo(inRows, 1, fewerSeeds), ...upTo(others, 1, fewerSeeds), ...upTo(comparedMost, fewerSeeds + 1, seeds)]
}

/** All that a run depends on, but the code. */
const nameOf = ({ name }: Arm, seed: number, { at, tasks, samples }: ArmSize, start: string) =>
  `${name}-seed-${seed}-rounds-${Math.max(...at)}-tasks-${tasks}-samples-${samples}-${start}`
