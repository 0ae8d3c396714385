import type { Seed } from '#core/hashes.ts'
import type { EarlierAnswer, PeerAnswers, RoundTask, Stages } from '../environment.ts'
import { seededRandom } from '../seededRandom.ts'
import type { Quoted, ReasoningProblem } from './drawQuestion.ts'
import { readReply } from './readReply.ts'
import type { ReasoningSpec } from './reasoningSpec.ts'

const PEERS = 16
const QUOTES = 3
const QUOTED_CHARACTERS = 200

const introductions = {
  1: 'Other solvers answered, rightly or wrongly:',
  2: 'Other solvers read such answers, and then wrote, rightly or wrongly:',
} as const

/** The earlier answers as shown after the question: a line for each text. */
export function tellQuoted({ stage, texts }: Quoted): string {
  return [introductions[stage], ...texts.map((text, at) => `${at + 1}. ${text}`)].join('\n')
}

/**
 * Answer, critique, revise: questions of an episode are asked three times, the second and third time with others' replies.
 *
 * @returns null if the specification has one stage.
 */
export function reasoningStages(spec: Pick<ReasoningSpec, 'stages' | 'reply'>): Stages<ReasoningProblem> | null {
  if (spec.stages === 1) return null
  return {
    count: spec.stages,
    peers: PEERS,
    laterTasks: (questions, { stage, seed }, answers) =>
      questions.map((question, at) => laterTask(spec, question, { stage, seed, at }, answers[at] ?? [])),
  }
}

function laterTask(
  { reply }: Pick<ReasoningSpec, 'reply'>,
  task: RoundTask<ReasoningProblem>,
  { stage, seed, at }: { stage: number; seed: Seed; at: number },
  byPeer: readonly PeerAnswers[],
): RoundTask<ReasoningProblem> | null {
  if (byPeer.length === 0) return task
  const random = seededRandom(`quotes ${seed} ${at}`)
  const drawn = random.shuffled(byPeer).slice(0, QUOTES)
  const needed = stage === 1 ? drawn : byPeer
  if (needed.includes(null)) return null
  const texts = drawn.map(answers => quote(answers?.length ? random.pick(answers) : undefined))
  if (stage === 1) return { ...task, problem: { ...task.problem, quoted: { stage, texts, majority: null } } }
  const given = byPeer.flatMap(answers => answers ?? [])
  const majority = mostGiven(given.map(({ text, ended }) => (ended ? readReply(reply, task.problem.kind, text) : null)))
  return { ...task, problem: { ...task.problem, quoted: { stage: 2, texts, majority } } }
}

/** Control, format, surrogate and private characters, of fixed ranges: `\p{C}` has what a version of Unicode does not assign. */
const hidden = [
  String.raw`\u{0}-\u{1f}\u{7f}-\u{9f}\u{ad}\u{600}-\u{605}\u{61c}\u{6dd}\u{70f}\u{890}\u{891}\u{8e2}\u{180e}\u{200b}-\u{200f}`,
  String.raw`\u{2028}-\u{202e}\u{2060}-\u{206f}\u{d800}-\u{f8ff}\u{fdd0}-\u{fdef}\u{feff}\u{fff0}-\u{fffb}\u{fffe}\u{ffff}`,
  String.raw`\u{110bd}\u{110cd}\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{10ffff}`,
]
const unprinted = new RegExp(`[\\s${hidden.join('')}]+`, 'gu')

/** On one line, and short. A peer without an answer at the place of a question is quoted with an empty text. */
function quote(answer: EarlierAnswer | undefined): string {
  const line = (answer?.text ?? '').replace(unprinted, ' ').trim()
  return line === '' ? '(nothing)' : [...line.slice(0, 2 * QUOTED_CHARACTERS)].slice(0, QUOTED_CHARACTERS).join('')
}

function mostGiven(answers: readonly (string | null)[]): string | null {
  const read = answers.filter(answer => answer !== null)
  const counts = [...Map.groupBy(read, answer => answer)].map(([answer, all]) => ({ answer, count: all.length }))
  const [first, second] = counts.sort((a, b) => b.count - a.count)
  return first === undefined || first.count === second?.count ? null : first.answer
}
