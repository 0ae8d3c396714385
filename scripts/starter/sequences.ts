import type { TrainingSequence } from '../../node/model/src/rl/trainer.ts'
import { drawTrainingTask } from '../../node/src/environments/codezero/curriculum/drawTask.ts'
import { flawedSolution } from '../../node/src/environments/codezero/curriculum/flawedSolution.ts'
import type { Problem } from '../../node/src/environments/codezero/curriculum/task.ts'
import { judgeSequence } from '../../node/src/environments/codezero/judge/createJudge.ts'
import {
  answerText,
  type PromptTokenizer,
  proposalPrompt,
  solverPrompt,
} from '../../node/src/environments/codezero/prompts.ts'
import type { SeededRandom } from '../../node/src/environments/seededRandom.ts'
import { proposalLevels, solverLevels } from './levelMix.ts'
import { proposalExample } from './proposalExample.ts'

/** A prompt and what is to be said after it; only the latter is learnt. */
function trainingSequence(prompt: Int32Array, completion: Int32Array, weight = 1): TrainingSequence {
  return {
    tokens: Int32Array.of(...prompt, ...completion),
    scored: completion.map((_, i) => prompt.length + i),
    weights: new Float32Array(completion.length).fill(weight),
  }
}

/** One example of the solver's corpus: a flawed answer, or, for the given share, a proposal. */
export function solverExample(
  tokenizer: PromptTokenizer,
  random: SeededRandom,
  proposalShare: number,
): TrainingSequence {
  const ended = (text: string) => Int32Array.of(...tokenizer.encode(text), tokenizer.special('<eos>'))
  if (random.chance(proposalShare)) {
    const level = random.weighted(proposalLevels)
    return trainingSequence(proposalPrompt(tokenizer, level), ended(proposalExample(level, random)))
  }
  const task = drawTrainingTask(random.weighted(solverLevels), random)
  return trainingSequence(solverPrompt(tokenizer, task), ended(answerText(flawedSolution(task, random))))
}

/**
 * One example of the judge's corpus: code and the text that it deserves, or `<no>` where it deserves none. Null if the
 * judge does not read the code.
 */
export async function judgeExample(
  tokenizer: PromptTokenizer,
  code: string,
  problem: Problem,
  deserves: boolean,
  brokenWeight: number,
): Promise<TrainingSequence | null> {
  const whole = await judgeSequence(tokenizer, { code, problem })
  if (!whole) return null
  const [prompt, text] = [whole.tokens.subarray(0, whole.from), whole.tokens.subarray(whole.from)]
  return deserves
    ? trainingSequence(prompt, text)
    : trainingSequence(prompt, Int32Array.of(tokenizer.special('<no>')), brokenWeight)
}
