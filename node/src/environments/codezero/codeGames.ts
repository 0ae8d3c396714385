import { type Games, inParts, readAfter } from '../games.ts'
import type { Level } from '../level.ts'
import { type SeededRandom, seededRandom } from '../seededRandom.ts'
import { drawTrainingTask } from './curriculum/drawTask.ts'
import { neighbourMeanings } from './curriculum/neighbourMeanings.ts'
import { renderSolution } from './curriculum/renderSolution.ts'
import { isConstant, isHeldOut, semanticKey } from './curriculum/semanticKey.ts'
import type { Meaning } from './curriculum/task.ts'
import { taskText } from './curriculum/taskText.ts'
import type { CodeZeroFormat } from './promptFormat.ts'
import { answerOpening } from './prompts.ts'

/** Levels with enough similar functions. */
const LEVELS: readonly Level[] = [3, 4, 5]
const CHOICES = 4
const CLUES = 4

const ASKED = /^What does ([a-z]+)\(([a-z]+)\) do\?$/

/**
 * Questions about the text that a function fits. The clues are its code, part by part. A solver's belief in a text is the likelihood of the code for
 * it under its policy.
 */
export function codeGames(format: Pick<CodeZeroFormat, 'solverPrompt' | 'encode'>): Games {
  return {
    draw(seed) {
      const random = seededRandom(`game ${seed}`)
      const { task, others } = drawAlike(random)
      const meanings = random.shuffled([task.meaning, ...others])
      const clues = inParts(renderSolution(task, task.meaning, random, { style: 'narrow' }), CLUES)
      return {
        question: `What does ${task.name}(${task.parameters.join(', ')}) do?`,
        choices: meanings.map(meaning => taskText(meaning, random)),
        clues,
        answer: meanings.indexOf(task.meaning),
      }
    },
    async sequences({ question, choices }, clues) {
      const [, name, parameter] = ASKED.exec(question) ?? []
      if (name === undefined || parameter === undefined) return null
      const code = await format.encode(`${answerOpening}${clues.join('')}`)
      const prompts = choices.map(text => format.solverPrompt({ name, parameters: [parameter], text }))
      return (await Promise.all(prompts)).map(prompt => readAfter(prompt, code))
    },
  }
}

/** A task, and functions that are one concept away from it, no two of them the same. */
function drawAlike(random: SeededRandom) {
  for (;;) {
    const task = drawTrainingTask(random.pick(LEVELS), random)
    const known = new Set([semanticKey(task.meaning)])
    const others: Meaning[] = []
    for (const meaning of random.shuffled(neighbourMeanings(task.meaning))) {
      const key = semanticKey(meaning)
      if (known.has(key) || isConstant(meaning) || isHeldOut(meaning)) continue
      known.add(key)
      others.push(meaning)
      if (others.length === CHOICES - 1) return { task, others }
    }
  }
}
