import { mapYielding } from '#core/threads/mapYielding.ts'
import type { Answer, AnswerScore, Environment, HeldOutTask, RoundTask } from '../environment.ts'
import { environmentHash, proposalsPerRound } from '../environmentSpec.ts'
import { type Games, inParts, readAfter } from '../games.ts'
import type { Level } from '../level.ts'
import { ask, type ChatTokenizer, chatCompletions } from '../promptFormat.ts'
import { type SeededRandom, seededRandom } from '../seededRandom.ts'
import { drawQuestion, type Quoted, type ReasoningProblem } from './drawQuestion.ts'
import { exampleTurns } from './exampleTurns.ts'
import type { FamilyName } from './families/families.ts'
import { heldOutQuestions } from './heldOutQuestions.ts'
import { type AnswerKind, answerForms, answerKinds } from './readAnswer.ts'
import { finalForms, type ReplyStyle, readFinal, readReply, replyForms } from './readReply.ts'
import type { ReasoningSpec } from './reasoningSpec.ts'
import { reasoningStages, tellQuoted } from './stages.ts'

type ReasoningParts = { spec: ReasoningSpec; tokenizer: ChatTokenizer; solverFolder: string }

/** Whether a question is of the last stage, which asks for two answers. */
const isFinal = (quoted: Quoted | undefined) => quoted?.stage === 2

type Asked = Pick<ReasoningProblem, 'question' | 'kind' | 'quoted'>

/** Questions with one right answer, drawn by the beacon and checked by a program: no model judges. */
export function reasoning({ spec, tokenizer, solverFolder }: ReasoningParts): Environment<ReasoningProblem> {
  const { prompts, reply, levels, families } = spec
  const asked = ({ question, kind, quoted }: Asked) => {
    const form = isFinal(quoted) ? finalForms[reply] : replyForms[reply]
    return [question, ...(quoted ? [tellQuoted(quoted)] : []), `${answerForms[kind]} ${form}`].join('\n')
  }
  const [shown, shownLast] = [false, true].map(last => exampleTurns(spec, last, asked))
  const prompt = (problem: Asked) =>
    ask(tokenizer, prompts.solver, asked(problem), isFinal(problem.quoted) ? shownLast : shown)
  const isRight = ({ kind, answer }: ReasoningProblem, text: string) => readReply(reply, kind, text) === answer
  const drawMany = (level: (random: SeededRandom) => Level, count: number, seed: string) => {
    const random = seededRandom(seed)
    return Array.from({ length: count }, () => drawQuestion(random.pick<FamilyName>(families), level(random), random))
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
    components: spec.stages === 1 ? ['format', 'accuracy'] : ['format', 'accuracy', 'majority'],
    stages: reasoningStages(spec),
    solverFolder,
    judgeModel: null,
    proposals: null,
    familyOf: ({ family }) => family,
    openJudge: async () => ({ score: async answers => mapYielding(answers, answer => scoreAnswer(spec, answer)) }),
    solvedShare: score => {
      const { format, accuracy } = spec.weights
      return Math.min(1, Math.max(0, (score * (format + accuracy) - format) / accuracy))
    },
    // If solvers read each other's answers, all get the same questions.
    roundTasks: async seed =>
      drawMany(anyLevel, spec.stages === 1 ? proposalsPerRound(spec) : spec.tasksPerRound, `round ${seed}`).map(told),
    drawTasks: (level, count, seed) => drawMany(() => level, count, seed).map(told),
    heldOutTasks: async (level, count) =>
      (await heldOutQuestions(families, level, count)).map(
        (problem): HeldOutTask<ReasoningProblem> => ({
          problem,
          check: (text, ended) => ended && isRight(problem, text),
        }),
      ),
  }
}

/** A truncated reply has no valid format, and counts as wrong. */
export function scoreAnswer(
  { weights, reply, stages }: Pick<ReasoningSpec, 'weights' | 'reply' | 'stages'>,
  { problem, text, ended }: Answer<ReasoningProblem>,
): AnswerScore {
  const { kind, quoted } = problem
  const majority = quoted?.majority ?? null
  const given = ended ? readGiven(reply, kind, text, isFinal(quoted)) : null
  const components = {
    format: given === null ? 0 : 1,
    accuracy: given?.answer === problem.answer ? 1 : 0,
    ...(stages === 1 ? {} : { majority: majority !== null && given?.majority === majority ? 1 : 0 }),
  }
  const first = weights.format * components.format + weights.accuracy * components.accuracy
  const score =
    majority === null
      ? first / (weights.format + weights.accuracy)
      : first + weights.majority * (components.majority ?? 0)
  return { components, score: Math.min(1, score), correctness: components.accuracy }
}

function readGiven(reply: ReplyStyle, kind: AnswerKind, text: string, isLast: boolean) {
  if (isLast) return readFinal(reply, kind, text)
  const answer = readReply(reply, kind, text)
  return answer === null ? null : { answer, majority: null }
}

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

/**
 * Market question: what is the answer to a question that is revealed part by part? A solver's belief in an answer is its likelihood under
 * the policy.
 */
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
