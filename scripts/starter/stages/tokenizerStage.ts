import { join } from 'node:path'
import { trainTokenizer } from '../../../node/model/src/model/tokenizers/trainTokenizer.ts'
import { drawTrainingTask } from '../../../node/src/environments/codezero/curriculum/drawTask.ts'
import { renderSolution } from '../../../node/src/environments/codezero/curriculum/renderSolution.ts'
import {
  answerText,
  problemText,
  proposalRequest,
  starterSpecials,
} from '../../../node/src/environments/codezero/prompts.ts'
import { seededRandom } from '../../../node/src/environments/seededRandom.ts'
import { proposalLevels, solverLevels } from '../levelMix.ts'
import { proposalExample } from '../proposalExample.ts'
import type { Stage } from './stage.ts'

/** Byte-level BPE over problems, answers in all spellings, and some proposals. */
export const tokenizerStage: Stage = async ({ settings, seed, work }) => {
  const random = seededRandom(`${seed} tokenizer`)
  const corpus: string[] = []
  for (let i = 0; i < settings.tokenizerTasks; i++) {
    const task = drawTrainingTask(random.weighted(solverLevels), random)
    const style = random.pick(['narrow', 'any'] as const)
    corpus.push(problemText(task), answerText(renderSolution(task, task.meaning, random, { style })))
    if (i % 10 === 0) {
      const level = random.weighted(proposalLevels)
      corpus.push(proposalRequest(level), proposalExample(level, random))
    }
  }
  const tokenizer = trainTokenizer(corpus, settings.vocabSize, starterSpecials)
  await tokenizer.write(join(work.path, 'tokenizer.json'))
  const tokens = corpus.reduce((sum, text) => sum + tokenizer.encode(text).length, 0)
  return { vocabSize: tokenizer.vocabSize, tokensPerText: Number((tokens / corpus.length).toFixed(1)) }
}
