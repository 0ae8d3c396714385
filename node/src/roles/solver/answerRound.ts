import type { RoundTime } from '#chain/rounds/roundClock.ts'
import type { PeerKey, PolicyHash, Root, Seed } from '#core/hashes.ts'
import { packLogprobs, packTokens } from '#core/payloads/packedTokens.ts'
import type { RolloutBundle } from '#core/payloads/payloads.ts'
import type { Completion } from '#model/generation/completion.ts'
import { type CheckedGroup, checkRollouts, type RoundRules } from '../draws/checkRollouts.ts'
import { type AdmittedTask, drawTasks } from '../draws/drawTasks.ts'
import { roundSeed } from '../draws/roundSeed.ts'
import { sealPayload } from '../payloads/publishPayload.ts'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from '../reportOutcome.ts'
import { noteCommitted } from '../reports/twin.ts'
import type { Sampler } from './solverPolicy.ts'

/** Samples the answers that a solver owes in a round, with the seed of the rule. */
export async function answerRound(
  policy: Sampler,
  { chainId, round, peerKey }: { chainId: number; round: number; peerKey: PeerKey },
  rules: RoundRules,
): Promise<RolloutBundle> {
  const { spec, format, beacon } = rules
  const tasks = drawTasks(chainId, round, peerKey, rules)
  const seed = roundSeed('rollout', chainId, round, beacon, peerKey)
  const prompts = await Promise.all(tasks.map(({ problem }) => format.solverPrompt(problem)))
  const policyHash = await policy.weightsHash()
  const { temperature, topP, maxNewTokens } = spec.solving
  const { stopToken, moreStopTokens } = format
  const stops = { stopToken, moreStopTokens }
  const sampling = { samplesPerPrompt: spec.groupSize, maxNewTokens, temperature, topP, ...stops, seed }
  const completions = await policy.generate({ prompts, ...sampling })
  return rolloutBundle({ chainId, round, peerKey, policyHash, seed }, rules, tasks, prompts, completions)
}

type RolloutHeader = { chainId: number; round: number; peerKey: PeerKey; policyHash: PolicyHash; seed: Seed }

/**
 * A solver's bundle of a round: for each drawn task, one group of completions.
 *
 * @param prompts - prompt tokens, one a task.
 * @param completions - `groupSize` for each task, in order of the tasks.
 */
export function rolloutBundle(
  header: RolloutHeader,
  { spec, format }: Pick<RoundRules, 'spec' | 'format'>,
  tasks: readonly AdmittedTask[],
  prompts: readonly Int32Array[],
  completions: readonly Completion[],
): RolloutBundle {
  const { chainId, round, peerKey, policyHash, seed } = header
  const { temperature, maxNewTokens } = spec.solving
  const groups = tasks.map((task, at) => ({
    taskRef: task.ref,
    rollouts: completions.slice(at * spec.groupSize, (at + 1) * spec.groupSize).map((completion, sample) => ({
      index: at * spec.groupSize + sample,
      promptTokens: packTokens(prompts[at] as Int32Array, format.tokenBytes),
      completionTokens: packTokens(completion.tokens, format.tokenBytes),
      logprobs: packLogprobs(completion.logprobs),
      seed,
      sampling: { temperature, maxNewTokens },
      ended: completion.ended,
    })),
  }))
  return { v: 1, chainId, round, peerKey, policyHash, groups }
}

/** A round, and the time at which this peer began it. */
type Begun = { time: RoundTime; atMs: number }

/** Samples the owed answers and, if they can be paid, commits them. */
export async function answerHere(
  node: PeerNode,
  sampler: Sampler,
  begun: Begun,
  rules: RoundRules,
  isPaid: boolean,
): Promise<{ groups: CheckedGroup[]; refused: Record<string, never> }> {
  const { round } = begun.time
  const bundle = await answerRound(sampler, { chainId: node.chainId, round, peerKey: node.identity.peerKey }, rules)
  if (isPaid) await commitAnswers(node, bundle, begun)
  return { groups: await checkRollouts(bundle, rules), refused: {} }
}

/** Seals the owed answers and commits them. */
async function commitAnswers(node: PeerNode, bundle: RolloutBundle, begun: Begun): Promise<void> {
  const { round, policyHash, groups } = bundle
  const count = groups.reduce((sum, { rollouts }) => sum + rollouts.length, 0)
  const { bytes, tree } = await node.payloads.seal('rollouts', bundle)
  const commitment = { round, root: tree[0] as Root, count, policyHash }
  const contentId = await sealPayload(node, bytes, { kind: 'rollouts', ...commitment }, begun)
  noteCommitted(node.journal, round, contentId)
  // Learning does not wait for the chain: the outbox sends the commitment, and if it fails, the points are lost but not the update.
  void node.chain
    .commitRollouts({ ...commitment, contentId })
    .then(outcome => reportOutcome(node.logger, 'rollouts committed', outcome, { round }))
}
