import { describeMachine } from '../../node/src/engine/describeMachine.ts'
import { measuredOn } from '../bench/results.ts'
import { type Arm, arms } from './arms.ts'
import { compareArms } from './compareArms.ts'
import type { Experiment } from './experiment.ts'
import { keptRun } from './keptRuns.ts'
import { type Found, recordArms, tableOf } from './recordArms.ts'
import { type ArmRun, type ArmSize, runArm, secondsPerRound } from './runArm.ts'

type Size = ArmSize & {
  /** Of the two arms that are compared most. */
  seeds: number
  /** Of the others. */
  fewerSeeds: number
  arms: readonly string[]
  /** Gain over solo's at equal tokens. */
  equalTokens: number
}

const full: Size = {
  ...{ at: [5, 10, 15, 20, 30, 40], tasks: 100, samples: 2 },
  ...{ seeds: 5, fewerSeeds: 3, arms: arms.map(({ name }) => name), equalTokens: 2 },
}
const quick: Size = {
  ...{ at: [5, 10, 15], tasks: 100, samples: 2 },
  ...{ seeds: 1, fewerSeeds: 1, arms: ['solo', 'sharing', 'solo-updates', 'solo-filtered'], equalTokens: 1.2 },
}

/** Whether peers that share learn faster than one alone: at equal tokens, at equal updates and against filtering. */
export const swarmVsSolo: Experiment = async options => {
  const size = options.quick ? quick : full
  const runs = new Map<string, ArmRun[]>(size.arms.map(name => [name, []]))
  // Seed by seed, so that a run that was stopped has something of every arm.
  for (let seed = 1; seed <= size.seeds; seed++)
    for (const arm of arms.filter(({ name }) => seedsOf(name, size) >= seed)) {
      const run = await keptRun(options, nameOf(arm, seed, size), () => runArm(arm, seed, size, options))
      if (run) runs.get(arm.name)?.push(run)
    }
  const found: Found[] = []
  for (const arm of arms) {
    const ofArm = runs.get(arm.name) ?? []
    if (ofArm.length === 0) continue
    const seconds = options.quick
      ? null
      : await keptRun(options, `${arm.name}-seconds`, () => secondsPerRound(arm, options))
    found.push({ arm, runs: ofArm, secondsPerRound: seconds })
  }
  const rows = compareArms(runs, { equalTokens: size.equalTokens, apart: !options.quick })
  const date = new Date().toISOString().slice(0, 10)
  await recordArms(options.data, found, rows, { date, machine: measuredOn(await describeMachine()) })
  options.log(tableOf(found))
  return rows
}

const seedsOf = (name: string, { arms: asked, seeds, fewerSeeds }: Size) =>
  asked.includes(name) ? (['solo', 'sharing'].includes(name) ? seeds : fewerSeeds) : 0

/** All that a run depends on. */
const nameOf = ({ name }: Arm, seed: number, { at, tasks, samples }: ArmSize) =>
  `${name}-seed-${seed}-rounds-${Math.max(...at)}-tasks-${tasks}-samples-${samples}`
