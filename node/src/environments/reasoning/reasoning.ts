import { mapYielding } from '#core/mapYielding.ts'
import type { Answer, AnswerScore, Environment, HeldOutTask, RoundTask } from '../environment.ts'
import { environmentHash, proposalsPerRound } from '../environmentSpec.ts'
import type { Level } from '../level.ts'
import { ask, type ChatTokenizer, chatCompletions } from '../promptFormat.ts'
import { type SeededRandom, seededRandom } from '../seededRandom.ts'
import { drawQuestion, type ReasoningProblem } from './drawQuestion.ts'
import type { FamilyName } from './families/families.ts'
import { answerForms } from './readAnswer.ts'
import { readReply, replyForms } from './readReply.ts'
import { reasoningGames } from './reasoningGames.ts'
import { type ReasoningSpec, scoreComponents } from './reasoningSpec.ts'

export type ReasoningParts = { spec: ReasoningSpec; tokenizer: ChatTokenizer; solverFolder: string }

/** Questions with one right answer, drawn by the beacon and checked by a program: no model judges. */
export function reasoning({ spec, tokenizer, solverFolder }: ReasoningParts): Environment<ReasoningProblem> {
  const { prompts, reply, levels, families } = spec
  const asked = ({ question, kind }: Pick<ReasoningProblem, 'question' | 'kind'>) =>
    `${question}\n${answerForms[kind]} ${replyForms[reply]}`
  const shown = prompts.examples.flatMap(example => [
    { role: 'user', content: asked(example) } as const,
    { role: 'assistant', content: example.reply } as const,
  ])
  const prompt = (problem: Pick<ReasoningProblem, 'question' | 'kind'>) =>
    ask(tokenizer, prompts.solver, asked(problem), shown)
  const isRight = ({ kind, answer }: ReasoningProblem, text: string) => readReply(reply, kind, text) === answer
  const drawMany = (level: (random: SeededRandom) => Level, count: number, seed: string, heldOut: boolean) => {
    const random = seededRandom(seed)
    return Array.from({ length: count }, () =>
      drawQuestion(random.pick<FamilyName>(families), level(random), random, { heldOut }),
    )
  }
  const told = (problem: ReasoningProblem): RoundTask<ReasoningProblem> => ({
    text: problem.question,
    level: problem.level,
    problem,
  })
  const anyLevel = (random: SeededRandom) => random.between(levels.lowest, levels.highest) as Level
  return {
    spec,
    hash: environmentHash(spec),
    format: {
      ...chatCompletions(tokenizer, prompts.vocabSize),
      solverPrompt: prompt,
    },
    games: reasoningGames(spec, { tokenizer, prompt }),
    components: scoreComponents,
    solverFolder,
    judgeModel: null,
    proposals: null,
    openJudge: async () => ({ score: async answers => mapYielding(answers, answer => scoreAnswer(spec, answer)) }),
    solvedShare: score => Math.min(1, Math.max(0, (score - spec.weights.format) / spec.weights.accuracy)),
    roundTasks: async seed => drawMany(anyLevel, proposalsPerRound(spec), `round ${seed}`, false).map(told),
    drawTasks: (level, count, seed) => drawMany(() => level, count, seed, false).map(told),
    heldOutTasks: async (level, count) =>
      drawMany(() => level, count, `canary level ${level}`, true).map(
        (problem): HeldOutTask<ReasoningProblem> => ({ problem, check: text => isRight(problem, text) }),
      ),
  }
}

/** A reply that the token limit cut off has no format, and nothing without one is right. */
function scoreAnswer(
  { weights, reply }: ReasoningSpec,
  { problem, text, ended }: Answer<ReasoningProblem>,
): AnswerScore {
  const given = ended ? readReply(reply, problem.kind, text) : null
  const components = { format: given === null ? 0 : 1, accuracy: given === problem.answer ? 1 : 0 }
  const score = weights.format * components.format + weights.accuracy * components.accuracy
  return { components, score, correctness: components.accuracy }
}
