import { createScorer } from '../../node/model/src/model/scoring/score.ts'
import type { Tokenizer } from '../../node/model/src/model/tokenizers/tokenizer.ts'
import { type BackTranslationJudge, createJudge } from '../../node/src/environments/codezero/judge/createJudge.ts'
import type { JudgeCalibration } from '../../node/src/environments/codezero/judge/judgeCalibration.ts'
import type { StoredModel } from './workFolder.ts'

export type OpenJudge = BackTranslationJudge & { dispose(): Promise<void> }

/** A stored judge model, ready to be asked. */
export function openJudge(
  { config, weights }: StoredModel,
  tokenizer: Tokenizer,
  calibration: JudgeCalibration,
  threads: number,
): OpenJudge {
  const scorer = createScorer(config, weights, { threads })
  const judge = createJudge({ scorer, tokenizer, calibration, maxTokens: config.maxPositions })
  return { ...judge, dispose: () => scorer.dispose() }
}
