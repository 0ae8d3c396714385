import { createGenerator, type Generator } from '../../../node/model/src/model/generation/generate.ts'
import type { Tokenizer } from '../../../node/model/src/model/tokenizers/tokenizer.ts'
import { drawHeldOutTask } from '../../../node/src/environments/codezero/curriculum/drawTask.ts'
import type { Task } from '../../../node/src/environments/codezero/curriculum/task.ts'
import { environmentFrom } from '../../../node/src/environments/codezero/presets.ts'
import { seededRandom } from '../../../node/src/environments/seededRandom.ts'
import type { Sandbox } from '../../../node/src/sandbox/createSandbox.ts'
import { createGrpoPeer, type Group, type GrpoPeer, meanReward } from '../grpoPeer.ts'
import { passRate } from '../measureSolver.ts'
import { readExported } from '../readExported.ts'
import { executeAnswers, sampleAnswers } from '../sampleAnswers.ts'
import { sampleProposals } from '../sampleProposals.ts'
import { accuracyOf } from './measureStage.ts'
import { type Stage, withSandbox } from './stage.ts'

/**
 * Peers that start from the exported solver and share their groups, as in the swarm but without a network: tasks are
 * proposals of the exported solver, rewards are the exported judge's. What they learn is measured by execution.
 */
export const swarmStage: Stage = async ({ settings, seed, threads, out, say }) =>
  withSandbox(async sandbox => {
    const { report } = settings
    const { solver, judge, tokenizer } = await readExported(out, threads)
    const proposer = createGenerator(solver.config, solver.weights, { threads })
    const spec = environmentFrom('starter')
    const peers = await Promise.all(
      Array.from({ length: report.peers }, (_, i) =>
        createGrpoPeer({ base: solver, tokenizer, judge, spec, level: 3, threads, seed: `${seed} peer ${i}` }),
      ),
    )
    const canary = { level: 3, tasks: report.canaryTasks, samples: report.samples, temperature: 1 } as const
    const measure = (generator: Generator) => passRate(generator, tokenizer, sandbox, canary)
    const before = await measure(proposer)
    const rewards: number[] = []
    for (let round = 0; round < report.rounds; round++) {
      const groups: Group[][] = []
      for (const [i, peer] of peers.entries()) {
        const tasksSeed = `${seed} tasks ${round} ${i}`
        const isProposed = report.tasks === 'proposed'
        const tasks = isProposed ? await proposedTasks(proposer, tokenizer, spec.tasksPerRound, tasksSeed) : undefined
        groups.push(await peer.rollouts(round, tasks))
      }
      await shareAndUpdate(peers, groups, round, seed)
      rewards.push(meanReward(groups.flat()))
      if (round % 5 === 4) say(`round ${round + 1}, mean reward ${mean(rewards.slice(-5)).toFixed(3)}`)
    }
    const after: number[] = []
    for (const peer of peers) after.push(await measure(peer.generator))
    say(`pass@1 by execution: ${before}, then ${after.join(' ')}`)
    const samplesAfter = await accuracyOf(judge, await trainedAnswers(peers, tokenizer, sandbox, report.pairs, seed))
    for (const peer of peers) await peer.dispose()
    await proposer.dispose()
    await judge.dispose()
    return {
      before,
      after,
      firstReward: Number(mean(rewards.slice(0, 5)).toFixed(3)),
      lastReward: Number(mean(rewards.slice(-5)).toFixed(3)),
      samplesAfter,
    }
  })

/** Tasks of level 3 as the proposer's model writes them; what is malformed or refused is sampled again. */
async function proposedTasks(proposer: Generator, tokenizer: Tokenizer, count: number, seed: string): Promise<Task[]> {
  const tasks: Task[] = []
  for (let attempt = 0; tasks.length < count; attempt++) {
    if (attempt === 20) throw new Error(`${tasks.length} of ${count} tasks after ${attempt} batches of proposals`)
    const proposals = await sampleProposals(proposer, tokenizer, 3, 2 * count, `${seed} ${attempt}`)
    tasks.push(...proposals.flatMap(({ task }) => (task ? [task] : [])))
  }
  return tasks.slice(0, count)
}

/** One update on the own groups, then one on those of each other peer, in random order. */
async function shareAndUpdate(
  peers: readonly GrpoPeer[],
  groups: readonly Group[][],
  round: number,
  seed: number,
): Promise<void> {
  for (const [i, peer] of peers.entries()) {
    const others = seededRandom(`${seed} order ${round} ${i}`).shuffled(groups.filter((_, j) => j !== i))
    for (const shared of [groups[i] ?? [], ...others]) await peer.update(shared, round)
  }
}

async function trainedAnswers(
  peers: readonly GrpoPeer[],
  tokenizer: Tokenizer,
  sandbox: Sandbox,
  pairs: number,
  seed: number,
) {
  const random = seededRandom(`${seed} trained answers`)
  const tasks = Array.from({ length: Math.ceil(pairs / 4) }, () => drawHeldOutTask(3, random))
  const sampling = { samples: 4, temperature: 1, seed: `${seed} trained answers` }
  const answers = []
  for (const { generator } of peers) answers.push(...(await sampleAnswers(generator, tokenizer, tasks, sampling)))
  return executeAnswers(sandbox, answers, random)
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
