import { type Games, inParts, readAfter } from '../games.ts'
import type { Level } from '../level.ts'
import type { ChatTokenizer } from '../promptFormat.ts'
import { type SeededRandom, seededRandom } from '../seededRandom.ts'
import { drawQuestion, type ReasoningProblem } from './drawQuestion.ts'
import type { FamilyName } from './families/families.ts'
import { type AnswerKind, answerKinds } from './readAnswer.ts'
import type { ReasoningSpec } from './reasoningSpec.ts'

const CHOICES = 4
const CLUES = 4
/** Questions of a family that are drawn for their answers, which others may share. */
const TRIES = 40

const asked = (kind: AnswerKind) => `What is the answer (${kind}) to the question that is shown in parts?`

type Rule = Pick<ReasoningSpec, 'families' | 'levels' | 'reply'>
type Reader = {
  tokenizer: Pick<ChatTokenizer, 'encode'>
  prompt(problem: Pick<ReasoningProblem, 'question' | 'kind'>): Promise<Int32Array>
}

/** What is the answer to a question that is shown part by part? A solver's belief in an answer is how likely its policy finds it. */
export function reasoningGames({ families, levels, reply }: Rule, { tokenizer, prompt }: Reader): Games {
  const drawOne = (random: SeededRandom) => {
    const family = random.pick<FamilyName>(families)
    const level = random.between(levels.lowest, levels.highest) as Level
    return { draw: () => drawQuestion(family, level, random) }
  }
  return {
    draw(seed) {
      const random = seededRandom(`game ${seed}`)
      for (;;) {
        const { draw } = drawOne(random)
        const problem = draw()
        const answers = new Set([problem.answer])
        for (let tries = 0; tries < TRIES && answers.size < CHOICES; tries++) answers.add(draw().answer)
        // Too long for a choice's name, or all questions of the family have one answer.
        if (answers.size < 2 || [...answers].some(answer => answer.length > 60)) continue
        const choices = random.shuffled([...answers])
        const { question, kind, answer } = problem
        return { question: asked(kind), choices, clues: inParts(question, CLUES), answer: choices.indexOf(answer) }
      }
    },
    async sequences({ question, choices }, clues) {
      const kind = answerKinds.find(one => asked(one) === question)
      if (kind === undefined) return null
      const before = await prompt({ question: clues.join(''), kind })
      const texts = choices.map(choice => tokenizer.encode(reply === 'bare' ? choice : `<answer>${choice}</answer>`))
      return (await Promise.all(texts)).map(text => readAfter(before, text))
    },
  }
}
