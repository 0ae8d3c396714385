import { attackStage } from './attackStage.ts'
import { calibrationStage } from './calibrationStage.ts'
import { exportStage } from './exportStage.ts'
import { hardeningStage } from './hardeningStage.ts'
import { judgeStage } from './judgeStage.ts'
import { measureStage } from './measureStage.ts'
import { poolStage } from './poolStage.ts'
import { solverStage } from './solverStage.ts'
import type { Stage } from './stage.ts'
import { swarmStage } from './swarmStage.ts'
import { tokenizerStage } from './tokenizerStage.ts'

/** All stages. Those of one inner array do not need each other and run at the same time, a thread each. */
export const stageOrder = [
  ['tokenizer'],
  ['solver', 'judge'],
  ['pool', 'calibration'],
  ['attack-0', 'attack-1'],
  ['hardening'],
  ['export'],
  ['measure', 'swarm'],
] as const
export type StageName = (typeof stageOrder)[number][number]

export const stages: Record<StageName, Stage> = {
  tokenizer: tokenizerStage,
  solver: solverStage,
  judge: judgeStage,
  pool: poolStage,
  calibration: calibrationStage,
  'attack-0': attackStage(0),
  'attack-1': attackStage(1),
  hardening: hardeningStage,
  export: exportStage,
  measure: measureStage,
  swarm: swarmStage,
}
