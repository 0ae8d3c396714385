import { attackStage } from './attackStage.ts'
import { calibrationStage } from './calibrationStage.ts'
import { cardStage } from './cardStage.ts'
import { exportStage } from './exportStage.ts'
import { hardeningStage } from './hardeningStage.ts'
import { judgeStage } from './judgeStage.ts'
import { measureStage } from './measureStage.ts'
import { poolStage } from './poolStage.ts'
import { solverStage } from './solverStage.ts'
import type { Stage } from './stage.ts'
import type { StageName } from './stageOrder.ts'
import { swarmStage } from './swarmStage.ts'
import { tokenizerStage } from './tokenizerStage.ts'

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
  card: cardStage,
}
