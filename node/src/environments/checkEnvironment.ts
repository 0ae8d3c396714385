import { inspect, isDeepStrictEqual } from 'node:util'
import { MAX_SEQUENCE_TOKENS } from '#core/payloads/payloads.ts'
import { MAX_TASK_CHARACTERS } from '#core/payloads/taskProposal.ts'
import { checkGuesses } from './checkGuesses.ts'
import { checkGames, checkProposals, checkStages } from './checkHooks.ts'
import { checkSizes } from './checkSizes.ts'
import { contradictionsOf } from './contradictionsOf.ts'
import type { Answer, AnswerScore, Environment, Judge, Problem } from './environment.ts'
import type { EnvironmentKind } from './environmentKind.ts'
import { type EnvironmentSpec, environmentHash } from './environmentSpec.ts'
import { hostileTexts } from './hostileTexts.ts'
import { levels } from './level.ts'

const DRAWN = 20
/** More held-out tasks than a small level has. */
const HELD_OUT = 200
/** Enough tasks of a level to draw a held-out one, in all but the widest families. */
const TRAINED = 1000
/** Longest time that scoring may block the event loop. */
const MAX_ANSWER_MS = 1000
const seeds = [`0x${'5a'.repeat(32)}`, `0x${'a5'.repeat(32)}`] as const

/**
 * Checks the guarantees that roles rely on: identical tasks, prompts and scores for everyone, sizes within the limits, separate held-out
 * tasks, and scores, proposals, stages and games that no text can break.
 *
 * @returns one sentence per finding, with a remedy; empty for a valid environment.
 */
export async function checkEnvironment(environment: Environment, judge: Judge): Promise<string[]> {
  const parts = [
    checkTasks,
    checkHeldOut,
    checkGuesses,
    checkPrompts,
    checkSizes,
    checkScores,
    checkProposals,
    checkStages,
    checkGames,
  ]
  const findings: string[] = []
  for (const part of parts)
    try {
      findings.push(...(await part(environment, judge)))
    } catch (error) {
      findings.push(`${part.name.replace('check', '')}: threw ${error instanceof Error ? error.message : error}`)
    }
  return findings
}

async function checkTasks({ spec, proposals, roundTasks, drawTasks }: Environment): Promise<string[]> {
  const findings: string[] = []
  const [round, again, other] = [
    await roundTasks(seeds[0], 0),
    await roundTasks(seeds[0], 0),
    await roundTasks(seeds[1], 0),
  ]
  if (!isDeepStrictEqual(round, again))
    findings.push('roundTasks: two calls with one seed differ: draw from seededRandom(seed), and from nothing else.')
  if (round.length > 0 && isDeepStrictEqual(round, other))
    findings.push('roundTasks: two seeds give the same tasks: draw from seededRandom(seed).')
  if (proposals === null && round.length < spec.tasksPerRound)
    findings.push(
      `roundTasks: ${round.length} tasks for ${spec.tasksPerRound} that each solver owes: draw proposalsPerRound(spec).`,
    )
  for (const level of levels) {
    const tasks = drawTasks(level, DRAWN, 'check')
    if (tasks.length !== DRAWN) findings.push(`drawTasks: ${tasks.length} tasks of level ${level}, asked for ${DRAWN}.`)
    if (!isDeepStrictEqual(tasks, drawTasks(level, DRAWN, 'check')))
      findings.push(`drawTasks: two calls with one seed differ at level ${level}.`)
    const isOneTask = tasks.every(({ text }) => text === tasks[0]?.text)
    if (!isOneTask && isDeepStrictEqual(tasks, drawTasks(level, DRAWN, 'another check')))
      findings.push(`drawTasks: two seeds give the same tasks at level ${level}: draw from seededRandom(seed).`)
    const long = tasks.some(({ text }) => text.length === 0 || text.length > MAX_TASK_CHARACTERS)
    if (long) findings.push(`drawTasks: texts have 1 to ${MAX_TASK_CHARACTERS} characters; level ${level} has others.`)
  }
  return findings
}

async function checkHeldOut({ drawTasks, roundTasks, heldOutTasks }: Environment): Promise<string[]> {
  const findings: string[] = []
  const keyOf = (problem: Problem) => inspect(problem, { depth: null, maxArrayLength: null, maxStringLength: null })
  const drawn = [...(await roundTasks(seeds[0], 0)), ...levels.flatMap(level => drawTasks(level, TRAINED, 'held out'))]
  const trained = new Set(drawn.map(({ problem }) => keyOf(problem)))
  for (const level of levels) {
    const [held, again] = [await heldOutTasks(level, DRAWN), await heldOutTasks(level, DRAWN)]
    if (held.length === 0 || held.length > DRAWN)
      findings.push(`heldOutTasks: ${held.length} tasks of level ${level}, asked for ${DRAWN}.`)
    const many = await heldOutTasks(level, HELD_OUT)
    if (new Set(many.map(({ problem }) => keyOf(problem))).size < many.length)
      findings.push(`heldOutTasks: a task of level ${level} repeats: give each once, if need be fewer than asked for.`)
    if (
      !isDeepStrictEqual(
        held.map(({ problem }) => problem),
        again.map(({ problem }) => problem),
      )
    )
      findings.push(`heldOutTasks: two calls differ at level ${level}: they are a fixed set.`)
    if (held.some(({ problem }) => trained.has(keyOf(problem))))
      findings.push(
        `heldOutTasks: a task of level ${level} is also drawn for training: hold it out by a hash of its question.`,
      )
    const checked = await Promise.all(hostileTexts.flatMap(text => held.map(({ check }) => check(text, true))))
    if (checked.includes(true))
      findings.push(`heldOutTasks: check takes an empty or meaningless answer of level ${level} for right.`)
  }
  return findings
}

async function checkPrompts({ spec, format, proposals, drawTasks }: Environment): Promise<string[]> {
  const findings: string[] = []
  const { maxNewTokens } = spec.solving
  const most = Math.min(MAX_SEQUENCE_TOKENS - maxNewTokens, proposals?.limits.promptTokens ?? MAX_SEQUENCE_TOKENS)
  for (const { problem } of levels.flatMap(level => drawTasks(level, 3, 'prompts'))) {
    const [prompt, again] = [await format.solverPrompt(problem), await format.solverPrompt(problem)]
    if (!isDeepStrictEqual(prompt, again)) findings.push('solverPrompt: two calls with one problem differ.')
    if (prompt.length === 0 || prompt.length > most)
      findings.push(`solverPrompt: ${prompt.length} tokens: before an answer of ${maxNewTokens}, it has 1 to ${most}.`)
    if (prompt.some(token => token < 0 || token >= format.vocabSize))
      findings.push('solverPrompt: a token is outside of the vocabulary.')
  }
  return [...new Set(findings)]
}

async function checkScores({ components, solvedShare, drawTasks }: Environment, judge: Judge): Promise<string[]> {
  const findings: string[] = []
  const [task] = drawTasks(1, 1, 'scores')
  if (task === undefined) return ['drawTasks: no task of level 1.']
  const answers = hostileTexts.map((text): Answer => ({ problem: task.problem, text, ended: true }))
  const startedMs = performance.now()
  const scores = await judge.score(answers)
  if (performance.now() - startedMs > hostileTexts.length * MAX_ANSWER_MS)
    findings.push('score: an answer took more than a second: limit the part of a text that is read.')
  if (scores.length !== answers.length) findings.push(`score: ${scores.length} scores for ${answers.length} answers.`)
  for (const [i, score] of scores.entries()) {
    const quoted = JSON.stringify(hostileTexts[i]?.slice(0, 30))
    findings.push(...faultsOf(score, components).map(fault => `score: ${fault}, for ${quoted}.`))
    if (score.correctness > 0.5) findings.push(`score: ${quoted} counts as right: read an answer strictly.`)
    const [alone] = await judge.score([answers[i] as Answer])
    if (!isDeepStrictEqual(alone, score)) findings.push(`score: ${quoted} has another score alone than among others.`)
  }
  if (components.length === 0)
    findings.push(
      'components: none: name at least one: a score without components means that the answer broke the rules.',
    )
  const shares = [0, 0.5, 1].map(solvedShare)
  if (!shares.every(share => share >= 0 && share <= 1))
    findings.push(`solvedShare: gives ${shares}: keep it from 0 to 1.`)
  return findings
}

const isShare = (value: number) => value >= 0 && value <= 1

function faultsOf({ components, score, correctness }: AnswerScore, due: readonly string[]): string[] {
  const faults: string[] = []
  if (!isDeepStrictEqual(Object.keys(components).sort(), [...due].sort()))
    faults.push(`the components are ${Object.keys(components)}, not ${due}`)
  if (!Object.values(components).every(isShare)) faults.push('a component is not from 0 to 1')
  if (!isShare(score)) faults.push(`the score is ${score}, not from 0 to 1`)
  if (!isShare(correctness)) faults.push(`correctness is ${correctness}, not from 0 to 1`)
  return faults
}

const functions = ['judgeOf', 'load', 'describe'] as const

/** Defects of the `kind` that a module exports; empty if it is usable. */
export function checkKind(kind: unknown): string[] {
  if (typeof kind !== 'object' || kind === null)
    return ['The module exports no kind: add `export const kind: EnvironmentKind<YourSpec> = { … }`.']
  const { schema, needsJudge } = kind as Partial<EnvironmentKind>
  const findings = functions
    .filter(name => typeof (kind as Record<string, unknown>)[name] !== 'function')
    .map(name => `kind.${name} is not a function: see EnvironmentKind.`)
  if (typeof schema?.parse !== 'function') findings.push('kind.schema is not a zod schema: give z.strictObject({ … }).')
  if (typeof needsJudge !== 'boolean') findings.push('kind.needsJudge is missing: say whether a frozen model judges.')
  return findings
}

/** Defects of a specification that a kind described. */
export function checkSpec({ schema }: EnvironmentKind, spec: EnvironmentSpec): string[] {
  const findings: string[] = []
  const read = (value: unknown) => schema.safeParse(value)
  const again = read(JSON.parse(JSON.stringify(spec)))
  if (!again.success) findings.push(`describe: its own schema refuses the specification: ${again.error.message}`)
  else if (environmentHash(again.data) !== environmentHash(spec))
    findings.push(
      'describe: the hash changes when the specification is written as JSON and read back: give every field a value.',
    )
  if (read({ ...spec, unheardOf: 1 }).success)
    findings.push('schema: an unknown field is accepted: use z.strictObject, or two files of one hash differ.')
  if (read({ ...spec, name: 'another' }).success)
    findings.push('schema: any name is accepted: use z.literal, since the name tells which kind a specification is of.')
  if (read({ ...spec, tasksPerRound: 0 }).success)
    findings.push('schema: tasksPerRound 0 is accepted: spread commonFields into it.')
  findings.push(...contradictionsOf(spec).map(({ path, message }) => `describe: ${path.join('.')}: ${message}.`))
  return findings
}
