import { packTokens } from '#core/payloads/packedTokens.ts'
import type { CanaryBundle } from '#core/payloads/payloads.ts'
import { mapYielding } from '#core/threads/mapYielding.ts'
import type { AnswerScore, Environment, HeldOutTask, Judge } from '#environments/environment.ts'
import type { Level } from '#environments/level.ts'
import type { Completion } from '#model/generation/completion.ts'
import { endsRole } from '../duties/endsRole.ts'
import { publishPayload } from '../payloads/publishPayload.ts'
import type { PeerNode } from '../peerNode.ts'
import { noteCanaryPoint } from './provenance.ts'
import type { Sampler } from './solverPolicy.ts'

/** The same random numbers in every round and for every solver, so that canaries can be compared. */
const CANARY_SEED = `0x${'ca'.repeat(32)}` as const

export type HeldOutAnswer = {
  task: HeldOutTask
  /** Place of the task in the held-out set. */
  at: number
  sample: number
  text: string
  completion: Completion
}

type HeldOutRules = Pick<Environment, 'spec' | 'format' | 'heldOutTasks'>

type HeldOutSample = HeldOutAnswer & { score: AnswerScore }

/** Samples a policy on the fixed held-out set and scores it like rollouts. None of it is trained on. */
export async function sampleHeldOut(
  policy: Pick<Sampler, 'generate'>,
  judge: Judge,
  environment: HeldOutRules,
  level: Level,
  tasks: number,
  samplesPerPrompt: number,
): Promise<HeldOutSample[]> {
  const answers = await answerHeldOut(policy, environment, level, tasks, samplesPerPrompt)
  const toScore = answers.map(({ task, text, completion: { ended } }) => ({ problem: task.problem, text, ended }))
  const scores = await judge.score(toScore)
  return answers.map((answer, i) => ({ ...answer, score: scores[i] as AnswerScore }))
}

/** Samples a policy on the fixed held-out set: `samplesPerPrompt` answers a task, in order of the tasks. */
export async function answerHeldOut(
  policy: Pick<Sampler, 'generate'>,
  { spec, format, heldOutTasks }: HeldOutRules,
  level: Level,
  tasks: number,
  samplesPerPrompt: number,
): Promise<HeldOutAnswer[]> {
  const set = await heldOutTasks(level, tasks)
  const prompts = await mapYielding(set, ({ problem }) => format.solverPrompt(problem))
  const { temperature, topP, maxNewTokens } = spec.solving
  const { stopToken, moreStopTokens } = format
  const stops = { stopToken, moreStopTokens }
  const request = { prompts, samplesPerPrompt, temperature, topP, maxNewTokens, ...stops, seed: CANARY_SEED }
  const completions = await policy.generate(request)
  const texts = await mapYielding(completions, ({ tokens, ended }) => format.completionText(tokens, ended))
  return completions.map((completion, i) => ({
    task: set[completion.prompt] as HeldOutTask,
    at: completion.prompt,
    sample: i % samplesPerPrompt,
    text: texts[i] ?? '',
    completion,
  }))
}

/**
 * Publishes samples on the held-out set in every round with a canary; gateways run them, never this node. A failure, as of a judge's server, costs the
 * canary and not the round's learning. After a fault of the disk the round is played again.
 *
 * @param policy - the one whose answers are committed in this round: a gateway keeps no canary of another.
 */
export async function publishCanary(node: PeerNode, policy: Sampler, judge: Judge, round: number): Promise<void> {
  if (round % node.environment.spec.canary.everyRounds !== 0) return
  await sampleCanary(node, policy, judge, round).catch(error => {
    if (endsRole(error, node.signal) || node.disk.isFault(error)) throw error
    node.logger.warn('this round has no canary', { round, error })
  })
}

async function sampleCanary(node: PeerNode, policy: Sampler, judge: Judge, round: number): Promise<void> {
  const { level, tasks, samplesPerTask } = node.environment.spec.canary
  const policyHash = await policy.weightsHash()
  const samples = await sampleHeldOut(policy, judge, node.environment, level as Level, tasks, samplesPerTask)
  const mean = (figure: 'score' | 'correctness') =>
    samples.reduce((sum, { score }) => sum + score[figure], 0) / Math.max(1, samples.length)
  noteCanaryPoint(node.journal, { round, reward: mean('score'), correctness: mean('correctness') })
  const bundle: CanaryBundle = {
    v: 1,
    chainId: node.chainId,
    round,
    peerKey: node.identity.peerKey,
    policyHash,
    level,
    seed: CANARY_SEED,
    samples: samples.map(({ at, sample, completion, score }) => ({
      task: at,
      sample,
      completionTokens: packTokens(completion.tokens, node.environment.format.tokenBytes),
      ended: completion.ended,
      scoreMilli: Math.round(score.score * 1000),
      passed: null,
    })),
  }
  const payload = { kind: 'canary', round, policyHash, count: samples.length } as const
  const { bytes } = await node.payloads.seal('canary', bundle)
  await publishPayload(node, bytes, payload)
}
