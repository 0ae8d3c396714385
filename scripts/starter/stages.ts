import { judgeStage } from './judgeStage.ts'
import { solverStage } from './solverStage.ts'
import type { Stage } from './stage.ts'
import { tokenizerStage } from './tokenizerStage.ts'

/** All stages. Those of one inner array do not need each other and run at the same time, a thread each. */
export const stageOrder = [['tokenizer'], ['solver', 'judge']] as const
export type StageName = (typeof stageOrder)[number][number]

export const stages: Record<StageName, Stage> = {
  tokenizer: tokenizerStage,
  solver: solverStage,
  judge: judgeStage,
}
