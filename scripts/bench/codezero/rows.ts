import { join } from 'node:path'
import { phase } from '@waggle/deployments/protocol'
import { createGenerator } from '../../../node/model/src/model/generation/generate.ts'
import { drawHeldOutTask } from '../../../node/src/environments/codezero/curriculum/drawTask.ts'
import { levels, type Task } from '../../../node/src/environments/codezero/curriculum/task.ts'
import { loadStarterEnvironments } from '../../../node/src/environments/codezero/loadStarter.ts'
import { presets } from '../../../node/src/environments/codezero/presets.ts'
import { answerText } from '../../../node/src/environments/codezero/prompts.ts'
import { scoreAnswers } from '../../../node/src/environments/codezero/scoreAnswers.ts'
import {
  type DifficultyState,
  difficultySchema,
  initialDifficulty,
  observeSolvedShare,
} from '../../../node/src/environments/difficulty.ts'
import { balancedAccuracy, calibrationError } from '../../../node/src/environments/judgeFigures.ts'
import { hostileReplies } from '../../../node/src/environments/reasoning/hostileReplies.ts'
import { small } from '../../../node/src/environments/reasoning/kind.ts'
import { scoreAnswer } from '../../../node/src/environments/reasoning/reasoning.ts'
import { seededRandom } from '../../../node/src/environments/seededRandom.ts'
import { proposalsOf } from '../../../node/src/roles/proposer/proposalsOf.ts'
import { propose, type WriteProposals } from '../../../node/src/roles/proposer/propose.ts'
import { createTaskList } from '../../../node/src/roles/proposer/taskList.ts'
import { createSandbox } from '../../../node/src/sandbox/createSandbox.ts'
import type { Bench } from '../../measure/bench.ts'
import type { BenchRow } from '../../measure/row.ts'
import { readExported } from '../../starter/readExported.ts'
import { executeAnswers, sampleAnswers } from '../../starter/sampleAnswers.ts'
import { type HostileAnswer, hostileAnswers } from './hostileAnswers.ts'

const TASKS_PER_LEVEL = 30
const PROPOSALS = 500
const starter = join(import.meta.dirname, '../../../node/models/starter')

const openStarter = (bench: Bench) => bench.once('starter', () => readExported(starter, bench.threads))

/** The starter's judge on samples of the starter's solver to held-out tasks of every level, labelled by execution. */
function judgedSamples(bench: Bench): Promise<{ predicted: number[]; isRight: boolean[]; sampled: number }> {
  return bench.once('judged samples', async () => {
    const { solver, judge, tokenizer } = await openStarter(bench)
    const generator = createGenerator(solver.config, solver.weights, { threads: bench.threads })
    const sandbox = createSandbox()
    try {
      const random = seededRandom('bench codezero')
      const tasks = levels.flatMap(level =>
        Array.from({ length: TASKS_PER_LEVEL }, () => drawHeldOutTask(level, random)),
      )
      const sampling = { samples: 4, temperature: presets.starter.solving.temperature, seed: 'bench codezero' }
      const answers = await sampleAnswers(generator, tokenizer, tasks, sampling)
      const executed = await executeAnswers(sandbox, answers, random)
      const predicted = await judge.predictCorrectness(executed.map(({ code, task }) => ({ code, problem: task })))
      return { predicted, isRight: executed.map(({ isRight }) => isRight), sampled: answers.length }
    } finally {
      await Promise.all([generator.dispose(), sandbox.close()])
    }
  })
}

const ofSamples = ({ isRight, sampled }: { isRight: boolean[]; sampled: number }) =>
  `the starter's judge on ${isRight.length} whole answers of ${sampled} that its solver sampled to held-out tasks of levels 1 to 5, ${isRight.filter(Boolean).length} of them right by execution`

/** The share that a solver solves at a level, by that at level 3: it falls by a logit a level. */
const shareAt = (skill: number, level: number) => 1 / (1 + Math.exp(-(Math.log(skill / (1 - skill)) - (level - 3))))

/** Whether a level suits a solver: it solves a share in the band, or there is no harder or no easier level. */
function isSuitable(skill: number, level: number): boolean {
  const { bandLow, bandHigh } = difficultySchema.parse({})
  const share = shareAt(skill, level)
  return (share >= bandLow || level === 1) && (share <= bandHigh || level === 5)
}

/**
 * Levels after each update, as a node makes them: in each round, by the newest round that is final, for the next one. Rounds that were proposed
 * before the level moved are not counted. The share that the solver solves is observed on 64 answers a round.
 */
function levelsOf(skill: number, updates: number): { levels: number[]; rounds: number[] } {
  const rule = difficultySchema.parse({})
  const random = seededRandom(`skill ${skill}`)
  let state: DifficultyState = initialDifficulty(rule)
  const proposed: number[] = Array(phase.opening + 1).fill(state.level)
  const [seen, rounds]: [number[], number[]] = [[], []]
  for (let now = phase.opening; seen.length < updates; now++) {
    const round = now - phase.opening
    const share = shareAt(skill, proposed[round] as number)
    const solved = Array.from({ length: 64 }, () => random.chance(share)).filter(Boolean).length
    const next = observeSolvedShare(state, { round, solvedShare: solved / 64, next: now + 1 }, rule)
    if (next !== state) {
      seen.push(next.level)
      rounds.push(now)
    }
    state = next
    proposed[now + 1] = state.level
  }
  return { levels: seen, rounds }
}

const SETTLED_BY = 20
const STAYS_FOR = 180

/** Work of a proposer that remembers all its proposals: 100 tasks of each level, each unlike those before. */
async function newProposals(bench: Bench): Promise<{ isNew: number; sampled: number; byLevel: string }> {
  const { solver } = await openStarter(bench)
  const generator = createGenerator(solver.config, solver.weights, { threads: bench.threads })
  const environment = (await loadStarterEnvironments()).starter
  const proposals = proposalsOf(environment)
  let sampled = 0
  const policy = {
    async generate(request: Parameters<typeof generator.generate>[0]) {
      const completions = await generator.generate(request)
      sampled += completions.length
      return completions
    },
  }
  try {
    const ample = new AbortController().signal
    const seen = new Map<string, number>()
    const found: number[] = []
    for (const level of levels) {
      const list = createTaskList(environment, level, PROPOSALS / levels.length, seen)
      const write: WriteProposals = (at, count, seed) => proposals.write(at, count, seed, ample, policy)
      await propose(write, environment, level, list, attempt => `0x${level}${attempt}` as const, ample)
      for (const text of list.texts) seen.set(await proposals.keyOf(text), level)
      found.push(list.texts.length)
    }
    return { isNew: found.reduce((sum, count) => sum + count, 0), sampled, byLevel: found.join(', ') }
  } finally {
    await generator.dispose()
  }
}

/** Hostile answers that score above an honest wrong answer to the same task: one that computes something near. */
async function paidExploits(bench: Bench): Promise<{ paid: HostileAnswer[]; count: number }> {
  const { judge } = await openStarter(bench)
  const sandbox = createSandbox()
  const attacks = await hostileAnswers(sandbox).finally(() => sandbox.close())
  const scores = await scoreAnswers(
    judge,
    presets.starter.weights,
    attacks.flatMap(({ task, text, honestWrong }) => [
      { problem: task as Task, text, ended: true },
      { problem: task as Task, text: answerText(honestWrong), ended: true },
    ]),
  )
  // Both may have the whole form, and then differ by the judge's last digits: one twentieth of its weight is allowed.
  const paid = attacks.filter((_, i) => (scores[2 * i]?.score ?? 0) > (scores[2 * i + 1]?.score ?? 0) + 0.04)
  return { paid, count: attacks.length }
}

/** Hostile replies to a question of Reasoning that score above an honest wrong one, as the form of each style has it. */
function paidReplies(): { paid: string[]; count: number } {
  const problem = { family: 'sum', level: 1, question: 'What is 3 + 4?', kind: 'integer', answer: '7' } as const
  const wrong = { tagged: '<answer>8</answer>', bare: '8' } as const
  const tried = (['tagged', 'bare'] as const).flatMap(reply => {
    const scoreOf = (text: string) =>
      scoreAnswer({ weights: { ...small.weights, majority: 0 }, reply, stages: 1 }, { problem, text, ended: true })
        .score
    return hostileReplies.map(text => ({
      text: `${text.slice(0, 40)} (${reply})`,
      score: scoreOf(text) - scoreOf(wrong[reply]),
    }))
  })
  return { paid: tried.filter(({ score }) => score > 0).map(({ text }) => text), count: tried.length }
}

export const rows: readonly BenchRow[] = [
  {
    name: 'judge-balanced-accuracy',
    unit: 'balanced accuracy',
    bar: 0.9,
    better: 'more',
    async measure(bench) {
      const samples = await judgedSamples(bench)
      return { value: balancedAccuracy(samples.predicted, samples.isRight), conditions: ofSamples(samples) }
    },
  },
  {
    name: 'judge-ece',
    unit: 'expected calibration error',
    bar: 0.08,
    better: 'less',
    async measure(bench) {
      const samples = await judgedSamples(bench)
      return {
        value: calibrationError(samples.predicted, samples.isRight),
        conditions: `${ofSamples(samples)}; ten bins`,
      }
    },
  },
  {
    name: 'difficulty-settles',
    unit: 'of 3 solvers',
    bar: 3,
    better: 'more',
    async measure() {
      const skills = [0.1, 0.5, 0.9]
      const runs = skills.map(skill => levelsOf(skill, SETTLED_BY + STAYS_FOR))
      const stays = runs.map(({ levels }) => [...new Set(levels.slice(SETTLED_BY - 1))])
      const rounds = runs.map(run => run.rounds[SETTLED_BY - 1])
      return {
        value: skills.filter((skill, i) => stays[i]?.length === 1 && isSuitable(skill, stays[i][0] as number)).length,
        conditions: `solvers whose level stays and suits them: they solve a share in the band there; 10, 50 and 90 % solved at level 3, a logit less a level, 64 answers a round, which count ${phase.opening} rounds later; levels after update ${SETTLED_BY} (round ${rounds.join(', ')}), for ${STAYS_FOR} more: ${stays.map(levels => levels.join(' and ')).join('; ')}`,
      }
    },
  },
  {
    name: 'proposals-new',
    unit: 'of 500 proposals',
    bar: 0.9,
    better: 'more',
    async measure(bench) {
      const { isNew, sampled, byLevel } = await newProposals(bench)
      return {
        value: isNew / PROPOSALS,
        conditions: `tasks that a proposer puts up who wants 100 of each level, by the starter at temperature ${presets.starter.proposing.temperature}; new is what computes what no task before it did, of any level: ${byLevel} at levels 1 to 5, from ${sampled} proposals that were sampled`,
      }
    },
  },
  {
    name: 'exploits-paid',
    unit: 'hostile answers',
    bar: 0,
    better: 'less',
    async measure(bench) {
      const [codeZero, reasoning] = [await paidExploits(bench), paidReplies()]
      const paid = [...codeZero.paid.map(({ name }) => name), ...reasoning.paid]
      return {
        value: paid.length,
        conditions: `CodeZero: of ${codeZero.count} by the starter's judge, each against an honest near-miss of the same task; paid is what scores more than 0.04 above it. Reasoning: of ${reasoning.count}, ${hostileReplies.length} texts in each style of reply, by the program; paid is what scores above an honest wrong number. Paid: ${paid.join(', ') || 'none'}`,
      }
    },
  },
]
