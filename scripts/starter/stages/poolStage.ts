import { createGenerator } from '../../../node/model/src/model/generation/generate.ts'
import { drawTrainingTask } from '../../../node/src/environments/codezero/curriculum/drawTask.ts'
import { seededRandom } from '../../../node/src/environments/seededRandom.ts'
import { solverLevels } from '../levelMix.ts'
import { executeAnswers, sampleAnswers } from '../sampleAnswers.ts'
import { type Stage, withSandbox } from './stage.ts'

/** The solver's own answers to training tasks, labelled by execution, for training the judge. */
export const poolStage: Stage = async ({ settings, seed, threads, work, say }) =>
  withSandbox(async sandbox => {
    const tokenizer = await work.tokenizer()
    const solver = await work.model('solver')
    const generator = createGenerator(solver.config, solver.weights, { threads })
    const random = seededRandom(`${seed} pool`)
    const draws = [
      { count: settings.pool.tasks, temperature: 1 },
      { count: settings.pool.hotTasks, temperature: 1.5 },
    ]
    const pool = []
    for (const { count, temperature } of draws) {
      const tasks = Array.from({ length: count }, () => drawTrainingTask(random.weighted(solverLevels), random))
      const sampling = { samples: 2, temperature, seed: `${seed} pool ${temperature}` }
      const answers = await sampleAnswers(generator, tokenizer, tasks, sampling)
      say(`${answers.length} answers at temperature ${temperature}`)
      pool.push(...(await executeAnswers(sandbox, answers, random)))
    }
    await generator.dispose()
    await work.writeJson('pool', pool)
    return { answers: pool.length, right: pool.filter(answer => answer.isRight).length }
  })
