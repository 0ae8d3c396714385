import { createGenerator } from '../../node/model/src/model/generation/generate.ts'
import { drawTrainingTask } from '../../node/src/environments/codezero/curriculum/drawTask.ts'
import type { JudgeCalibration } from '../../node/src/environments/codezero/judge/judgeCalibration.ts'
import { seededRandom } from '../../node/src/environments/seededRandom.ts'
import { drawCandidates, type OriginMix } from './candidates.ts'
import { execute } from './execute.ts'
import { fitCalibration } from './fitCalibration.ts'
import { solverLevels } from './levelMix.ts'
import { openJudge } from './openModels.ts'
import { executeAnswers, sampleAnswers } from './sampleAnswers.ts'
import { type StageContext, withSandbox } from './stages/stage.ts'
import type { StoredModel } from './workFolder.ts'

/** Right code and mistakes of every kind, in equal parts: what the judge is calibrated and measured on. */
export const nearMissMix: OriginMix = [
  ['right', 0.5],
  ['near', 0.27],
  ['twoAway', 0.05],
  ['structural', 0.13],
  ['other', 0.05],
]

const UNFITTED: JudgeCalibration = { bias: 0, gap: 0, nll: 0 }

/** Fits a judge model's calibration on pairs of training tasks: candidates, and samples of the solver. */
export async function calibrate(
  model: StoredModel,
  { settings, seed, threads, work }: StageContext,
): Promise<JudgeCalibration> {
  const tokenizer = await work.tokenizer()
  const solver = await work.model('solver')
  const random = seededRandom(`${seed} calibration`)
  const judge = openJudge(model, tokenizer, UNFITTED, threads)
  const generator = createGenerator(solver.config, solver.weights, { threads })
  const pairs = await withSandbox(async sandbox => {
    const candidates = drawCandidates(settings.calibrationPairs, random, { mix: nearMissMix })
    const tasks = Array.from({ length: Math.ceil(settings.calibrationPairs / 5) }, () =>
      drawTrainingTask(random.weighted(solverLevels), random),
    )
    const sampling = { samples: 3, temperature: 1, seed: `${seed} calibration` }
    const answers = await sampleAnswers(generator, tokenizer, tasks, sampling)
    return [...(await execute(sandbox, candidates, random)), ...(await executeAnswers(sandbox, answers, random))]
  })
  const evidence = await judge.evidence(pairs.map(({ code, task }) => ({ code, problem: task })))
  await judge.dispose()
  await generator.dispose()
  return fitCalibration(
    evidence,
    pairs.map(pair => pair.isRight),
  )
}
