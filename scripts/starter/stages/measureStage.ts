import { createGenerator, type Generator } from '../../../node/model/src/model/generation/generate.ts'
import type { Tokenizer } from '../../../node/model/src/model/tokenizers/tokenizer.ts'
import { drawHeldOutTask } from '../../../node/src/environments/codezero/curriculum/drawTask.ts'
import { mutateMeaning } from '../../../node/src/environments/codezero/curriculum/mutateMeaning.ts'
import { renderSolution } from '../../../node/src/environments/codezero/curriculum/renderSolution.ts'
import { semanticKey } from '../../../node/src/environments/codezero/curriculum/semanticKey.ts'
import { type Level, levels, type Meaning } from '../../../node/src/environments/codezero/curriculum/task.ts'
import { type SeededRandom, seededRandom } from '../../../node/src/environments/seededRandom.ts'
import { type Accuracy, balancedAccuracy } from '../balancedAccuracy.ts'
import type { OtherLevelSet } from '../bars.ts'
import { nearMissMix } from '../calibrate.ts'
import { drawCandidates } from '../candidates.ts'
import { drawDamaged } from '../damageCode.ts'
import { type Attempt, type Executed, execute } from '../execute.ts'
import { passRate } from '../measureSolver.ts'
import { drawMiscalculated } from '../miscalculate.ts'
import type { OpenJudge } from '../openModels.ts'
import { readExported } from '../readExported.ts'
import { executeAnswers, sampleAnswers } from '../sampleAnswers.ts'
import { type SampledProposal, sampleProposals } from '../sampleProposals.ts'
import { type Stage, withSandbox } from './stage.ts'

/** The exported models as they are: solving, judging, proposing. Held-out functions, labels by execution. */
export const measureStage: Stage = async ({ settings, seed, threads, out, say }) =>
  withSandbox(async sandbox => {
    const { report } = settings
    const { solver, judge, tokenizer } = await readExported(out, threads)
    const generator = createGenerator(solver.config, solver.weights, { threads })
    const solving: Record<string, { sampled: number; greedy: number }> = {}
    for (const level of levels) {
      const rate = (samples: number, temperature: number) =>
        passRate(generator, tokenizer, sandbox, { level, tasks: report.canaryTasks, samples, temperature })
      solving[level] = { sampled: await rate(level === 3 ? report.samples : 4, 1), greedy: await rate(1, 0) }
      say(`level ${level}: ${JSON.stringify(solving[level])}`)
    }
    const random = seededRandom(`${seed} measure`)
    const judging: Record<string, Accuracy> = {}
    const sets = {
      ...(await judgeSets(report.pairs, random)),
      ...(await otherLevelSets(report.pairs, seededRandom(`${seed} measure other levels`))),
    }
    for (const [name, attempts] of Object.entries(sets)) {
      judging[name] = await accuracyOf(judge, await execute(sandbox, attempts, random))
      say(`${name}: ${JSON.stringify(judging[name])}`)
    }
    const tasks = Array.from({ length: Math.ceil(report.pairs / 4) }, () => drawHeldOutTask(3, random))
    const sampling = { samples: 4, temperature: 1, seed: `${seed} measure` }
    const answers = await executeAnswers(sandbox, await sampleAnswers(generator, tokenizer, tasks, sampling), random)
    const samplesBefore = await accuracyOf(judge, answers)
    const proposing = await measureProposals(generator, tokenizer, report.proposals, seed)
    await generator.dispose()
    await judge.dispose()
    return { solving, judging: { ...judging, samplesBefore }, proposing }
  })

export async function accuracyOf(judge: OpenJudge, executed: readonly Executed[]): Promise<Accuracy> {
  const predicted = await judge.predictCorrectness(executed.map(({ code, task }) => ({ code, problem: task })))
  return balancedAccuracy(
    predicted,
    executed.map(({ isRight }) => isRight),
  )
}

/** Held-out pairs of level 3, by what makes them hard. The last three are weak spots, without a bar. */
async function judgeSets(count: number, random: SeededRandom): Promise<Record<string, Attempt[]>> {
  const options = { mix: nearMissMix, level: 3, heldOut: true } as const
  const unseenForm = { style: 'unseenForm', naming: 'training' } as const
  return {
    nearMisses: drawCandidates(count, random, options),
    otherSpelling: Array.from({ length: Math.ceil(count / 2) }, () => otherSpellingPair(random)).flat(),
    randomDamage: await drawDamaged(count, random, () => drawHeldOutTask(3, random)),
    unseenForms: drawCandidates(Math.ceil(count / 2), random, {
      ...options,
      mix: [
        ['right', 0.5],
        ['near', 0.5],
      ],
      spelling: unseenForm,
    }),
    miscalculated: await drawMiscalculated(count, random, () => drawHeldOutTask(3, random)),
  }
}

/** Held-out pairs of the other levels. Level 1 has eleven functions, where the order of two operands is most of what can be wrong. */
async function otherLevelSets(count: number, random: SeededRandom): Promise<Record<OtherLevelSet, Attempt[]>> {
  const near = (level: Level) =>
    drawCandidates(Math.ceil(count / 2), random, { mix: nearMissMix, level, heldOut: true })
  return {
    ...{ level1: near(1), level2: near(2), level4: near(4), level5: near(5) },
    miscalculatedLevel1: await drawMiscalculated(count, random, () => drawHeldOutTask(1, random)),
  }
}

/** A right solution in another spelling with unseen names, and a near-miss in the same spelling. */
function otherSpellingPair(random: SeededRandom): Attempt[] {
  const task = drawHeldOutTask(3, random)
  let near: Meaning = task.meaning
  while (semanticKey(near) === semanticKey(task.meaning)) near = mutateMeaning(task.meaning, random)
  const spelling = { style: 'alternate', naming: 'unseen' } as const
  return [task.meaning, near].map(meaning => ({
    code: renderSolution(task, meaning, random, spelling),
    task,
    origin: 'otherSpelling',
  }))
}

async function measureProposals(
  generator: Generator,
  tokenizer: Tokenizer,
  count: number,
  seed: number,
): Promise<Record<string, number>> {
  const proposals: SampledProposal[] = []
  for (const level of levels) {
    const each = Math.ceil(count / levels.length)
    proposals.push(...(await sampleProposals(generator, tokenizer, level, each, `${seed} proposals ${level}`)))
  }
  const share = (holds: (proposal: SampledProposal) => boolean) =>
    Number((proposals.filter(holds).length / proposals.length).toFixed(3))
  const sum = (of: (proposal: SampledProposal) => number) => proposals.reduce((total, p) => total + of(p), 0)
  return {
    sampled: proposals.length,
    wellFormed: share(p => p.fault === null),
    admitted: share(p => p.task !== null),
    notUnderstood: share(({ refusal }) => refusal !== null && refusal !== 'held out' && refusal !== 'another level'),
    heldOut: share(p => p.refusal === 'held out'),
    anotherLevel: share(p => p.refusal === 'another level'),
    distinctTexts: new Set(proposals.map(p => p.task?.text)).size,
    rightTests: Number(
      (
        sum(p => p.rightTests) /
        Math.max(
          1,
          sum(p => p.tests),
        )
      ).toFixed(3),
    ),
  }
}
