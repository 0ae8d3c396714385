import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import type { Environment, Problem, RoundTask } from '#environments/environment.ts'
import type { ReasoningProblem } from '#environments/reasoning/drawQuestion.ts'
import { small, solverMessage } from '#environments/reasoning/kind.ts'
import { reasoning } from '#environments/reasoning/reasoning.ts'
import { reasoningSpecSchema } from '#environments/reasoning/reasoningSpec.ts'
import { formatDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { writeWeights } from '#model/decoder/weights.ts'
import { groupStep } from '#rl/groupStep.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import { openWholePolicy } from '#rl/policy/wholePolicy.ts'
import type { CheckedGroup } from '#roles/draws/checkRollouts.ts'
import { learningOptions } from '#roles/models/openModels.ts'
import { createLearner } from '#roles/solver/learner.ts'
import { learnRound } from '#roles/solver/learnRound.ts'
import { createQuarantine } from '#roles/solver/quarantine.ts'
import { createTrust } from '#roles/solver/trust.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { letters } from './specification/codeZeroProbes.ts'
import { wordOf } from './specification/commonProbes.ts'

const spec = reasoningSpecSchema.parse({
  ...small,
  ...{ version: 4, stages: 3, tasksPerRound: 2, weights: { format: 0.1, accuracy: 0.7, majority: 0.2 } },
  prompts: { format: 'chat', tokenizerHash: wordOf('11'), vocabSize: 70_000, solver: solverMessage, examples: [] },
})
const environment = reasoning({ spec, tokenizer: letters, solverFolder: '' })
const clock = createManualClock()

type Task = RoundTask<ReasoningProblem>

/** Two right answers to a task and two wrong ones, of which one has no form. */
function groupOf({ problem }: Task): CheckedGroup {
  const last = problem.quoted?.stage === 2 ? `\n${problem.quoted.majority}` : ''
  const texts = [`${problem.answer}${last}`, `${problem.answer}${last}`, `1234567${last}`, 'so many']
  const rollouts = texts.map((text, index) => ({
    ...{ index, text, ended: true, promptTokens: Int32Array.of(1, 2) },
    completionTokens: Int32Array.of(1, 3 + index, 5),
    logprobs: new Float32Array(3).fill(-1.5),
  }))
  const task = { taskHash: wordOf('22'), text: problem.question, level: 1, problem, ref: { peerKey: wordOf('00') } }
  return { task, rollouts } as unknown as CheckedGroup
}

async function openLearner() {
  const folder = mkdtempSync(join(tmpdir(), 'waggle-stages-learn-'))
  writeFileSync(join(folder, 'config.json'), JSON.stringify(formatDecoderConfig(tinyConfig)))
  await writeWeights(join(folder, 'model.safetensors'), tinyWeights(), 'F32')
  const policy = await openWholePolicy(folder, folder, { threads: 1, device: 'cpu', ...learningOptions(spec) })
  onTestFinished(() => policy.dispose())
  const client: Pick<PolicyClient, 'policyStep' | 'setbacks'> = {
    policyStep: async (...step) => groupStep(policy.trainer, ...step),
    setbacks: () => 0,
  }
  const journal = createJournal(openDatabase(':memory:'), clock)
  const node = { environment: environment as Environment<Problem>, journal, training: { note: () => {} }, clock }
  const judge = await node.environment.openJudge(null)
  const quarantine = createQuarantine({ journal, logger: silentLogger })
  const learner = createLearner(node, client as PolicyClient, judge)
  const { signal } = new AbortController()
  const modules = { learner, quarantine, trust: createTrust({ journal }), logger: silentLogger, signal }
  return { policy, modules: { ...modules, vocabSize: tinyConfig.vocabSize } }
}

async function* nobody() {}

test('answers, critiques and revisions each move the policy', async () => {
  const questions = await environment.roundTasks(wordOf('01'), 0)
  const answers = questions.map(({ problem }) =>
    [problem.answer, problem.answer, '8'].map(text => [{ text, ended: true }]),
  )
  const later = (stage: number) => environment.stages?.laterTasks(questions, { stage, seed: wordOf('02') }, answers)
  const { policy, modules } = await openLearner()
  const hashes = [await policy.weightsHash()]
  const rewards: number[] = []
  for (const [stage, tasks] of [questions, later(1), later(2)].entries()) {
    const own = (tasks ?? []).flatMap(task => (task === null ? [] : [groupOf(task)]))
    const report = await learnRound(modules, {
      round: 3 + 4 * stage,
      spec,
      own,
      others: nobody(),
      until: modules.signal,
    })
    expect([report.refused, report.averageAtK]).toEqual([{}, 0.5])
    expect(report.updates).toBeGreaterThan(0)
    hashes.push(await policy.weightsHash())
    rewards.push(report.meanReward)
  }
  expect(new Set(hashes).size).toBe(4)
  // Only the last stage pays the majority: 0.2 to each answer that tells it, and less for the rest of the score.
  expect(rewards[0]).toBeCloseTo((1 + 1 + 0.125 + 0) / 4)
  expect(rewards[1]).toBeCloseTo((1 + 1 + 0.125 + 0) / 4)
  expect(rewards[2]).toBeCloseTo((1 + 1 + 0.3 + 0) / 4)
})
