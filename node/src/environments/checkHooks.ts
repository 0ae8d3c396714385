import { isDeepStrictEqual } from 'node:util'
import { MAX_SEQUENCE_TOKENS } from '#core/payloads/payloads.ts'
import { MAX_TASK_CHARACTERS } from '#core/payloads/taskProposal.ts'
import type { Environment, PeerAnswers, ProposedTest } from './environment.ts'
import type { AskedQuestion, GameQuestion } from './games.ts'
import { hostileTexts } from './hostileTexts.ts'
import { levels } from './level.ts'

/** Enough questions that most have a choice of answers to quote. */
const QUESTIONS = 4

const seed = `0x${'5a'.repeat(32)}` as const

type ReadSequence = { readonly tokens: Int32Array; readonly from: number }

const isText = (value: unknown) => typeof value === 'string'
const isTextOrNull = (value: unknown) => value === null || isText(value)
const isTest = ({ source, expression, expected, isRight }: ProposedTest) =>
  [source, expression, expected].every(isText) && (isRight === null || typeof isRight === 'boolean')

/** Checks that two calls agree and return the expected value; otherwise returns one sentence. */
async function callTwice(name: string, call: () => unknown, isDue: (value: never) => boolean, due: string) {
  try {
    const [once, again] = [await call(), await call()]
    if (!isDeepStrictEqual(once, again)) return [`${name}: two calls differ: every peer must read the same.`]
    return isDue(once as never) ? [] : [`${name}: gives ${JSON.stringify(once)?.slice(0, 60)}: give ${due}.`]
  } catch (error) {
    return [`${name}: threw ${error instanceof Error ? error.message : error}: any text may come from a peer.`]
  }
}

/** Checks the hooks for proposers' texts: each text comes from a peer, and every peer must read it in the same way. */
export async function checkProposals({ proposals, drawTasks }: Environment): Promise<string[]> {
  if (proposals === null) return []
  const findings: string[] = []
  const texts = [...hostileTexts, ...levels.flatMap(level => drawTasks(level, 1, 'proposals').map(({ text }) => text))]
  for (const text of texts) {
    const of = (name: string) => `proposals.${name} of ${JSON.stringify(text.slice(0, 30))}`
    const add = async (...call: Parameters<typeof callTwice>) => findings.push(...(await callTwice(...call)))
    const isProblem = (value: unknown) => typeof value === 'object'
    await add(of('read'), () => proposals.read(text), isProblem, 'a problem, or null')
    await add(of('keyOf'), () => proposals.keyOf(text), isText, 'a text')
    for (const level of levels)
      await add(of('faultOf'), () => proposals.faultOf(text, level), isTextOrNull, 'a reason, or null')
    const areTests = (value: unknown) => Array.isArray(value) && value.every(isTest)
    await add(of('testsOf'), () => proposals.testsOf(text), areTests, 'tests with source, expression and expected')
    await add(of('codeOf'), () => proposals.codeOf(text, text), isTextOrNull, 'code, or null')
  }
  const isTold = (told: object) => ('text' in told ? isText(told.text) : 'reason' in told && isText(told.reason))
  const functions = [null, ...levels.flatMap(level => drawTasks(level, 1, 'tell').map(({ problem }) => problem))]
  for (const problem of functions)
    for (const asserts of problem === null ? [[]] : [[], [...hostileTexts]]) {
      const task = { function: problem === null ? null : { problem, asserts } }
      findings.push(
        ...(await callTwice('proposals.tell', () => proposals.tell(task), isTold, '{ text } or { reason }')),
      )
    }
  return [...new Set(findings)]
}

/** Checks the tasks of later stages against peers' answers, or their absence. */
export async function checkStages({ stages, spec, format, roundTasks }: Environment): Promise<string[]> {
  if (!stages) return []
  const questions = (await roundTasks(seed, 0)).slice(0, QUESTIONS)
  const answer: PeerAnswers = hostileTexts.map((text, at) => ({ text, ended: at % 2 === 0 }))
  const given = (peers: readonly PeerAnswers[]) => questions.map(() => peers)
  const findings: string[] = []
  for (let stage = 1; stage < stages.count; stage++) {
    const later = (peers: readonly PeerAnswers[]) => stages.laterTasks(questions, { stage, seed }, given(peers))
    const name = `stages.laterTasks of stage ${stage}`
    const areDue = (tasks: unknown) => Array.isArray(tasks) && tasks.length === questions.length
    const cases = { 'no peer': [], 'no answer': [[]], 'hostile answers': Array(stages.peers).fill(answer) }
    for (const [what, peers] of Object.entries(cases)) {
      const faults = await callTwice(`${name}, ${what}`, () => later(peers), areDue, 'one entry a question')
      findings.push(...faults)
      for (const task of faults.length > 0 ? [] : later(peers)) {
        if (task === null) findings.push(`${name}, ${what}: null: it is for answers that this node cannot get.`)
        else if (task.text.length > MAX_TASK_CHARACTERS)
          findings.push(`${name}, ${what}: a text has ${task.text.length} characters, at most ${MAX_TASK_CHARACTERS}.`)
        const tokens = task === null ? 0 : (await format.solverPrompt(task.problem)).length
        if (tokens + spec.solving.maxNewTokens > MAX_SEQUENCE_TOKENS)
          findings.push(`${name}, ${what}: a prompt has ${tokens} tokens: shorten the quoted texts.`)
      }
    }
    const areMissing = (tasks: unknown) => areDue(tasks) && (tasks as unknown[]).every(task => task === null)
    const missing = () => later(Array(stages.peers).fill(null))
    findings.push(...(await callTwice(`${name}, unavailable answers`, missing, areMissing, 'null for each task')))
  }
  return [...new Set(findings)]
}

/** Checks that a market question can be answered, and that texts of other questions break nothing. */
export async function checkGames({ games }: Environment): Promise<string[]> {
  if (!games) return []
  const isQuestion = ({ choices, clues, answer }: GameQuestion) =>
    new Set(choices).size === choices.length && choices.length > 1 && clues.length > 0 && choices[answer] !== undefined
  const drawn = await callTwice('games.draw', () => games.draw(seed), isQuestion, 'an answer among several choices')
  if (drawn.length > 0) return drawn
  const question = games.draw(seed)
  const reads = (asked: AskedQuestion, clues: readonly string[], isDue: (found: ReadSequence[] | null) => boolean) =>
    callTwice('games.sequences', () => games.sequences(asked, clues), isDue, 'a sequence for each choice')
  const areSequences = (found: ReadSequence[] | null, choices: readonly string[]) =>
    found?.length === choices.length && found.every(({ tokens, from }) => from > 0 && from < tokens.length)
  const findings = await reads(question, question.clues, found => areSequences(found, question.choices))
  for (const text of hostileTexts) {
    const choices = [text, 'another']
    findings.push(
      ...(await reads({ question: text, choices }, [text], found => found === null || areSequences(found, choices))),
    )
  }
  return [...new Set(findings)]
}
