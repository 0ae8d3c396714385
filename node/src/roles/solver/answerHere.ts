import type { RoundTime } from '#chain/rounds/roundClock.ts'
import type { Root } from '#core/hashes.ts'
import type { RolloutBundle } from '#core/payloads/payloads.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import { type CheckedGroup, checkRollouts, type RoundRules } from '../draws/checkRollouts.ts'
import { reportOutcome } from '../duties/reportOutcome.ts'
import { sealPayload } from '../payloads/publishPayload.ts'
import type { PeerNode } from '../peerNode.ts'
import { noteCommitted } from '../reports/twin.ts'
import { answerRound } from './answerRound.ts'
import { samplerOf } from './namePolicy.ts'

/** A round, and when this peer began with it. */
type Begun = { time: RoundTime; atMs: number }

/** Samples the owed answers and, where they can be paid, commits them. */
export async function answerHere(
  node: PeerNode,
  policy: PolicyClient,
  begun: Begun,
  rules: RoundRules,
  isPaid: boolean,
): Promise<CheckedGroup[]> {
  const { round } = begun.time
  const sampler = isPaid ? await samplerOf(node, policy, node.environment.solverFolder, round) : policy
  const bundle = await answerRound(sampler, { chainId: node.chainId, round, peerKey: node.identity.peerKey }, rules)
  if (isPaid) await commitAnswers(node, bundle, begun)
  return checkRollouts(bundle, rules)
}

/** Seals the owed answers and commits them. */
async function commitAnswers(node: PeerNode, bundle: RolloutBundle, begun: Begun): Promise<void> {
  const { round, policyHash, groups } = bundle
  const count = groups.reduce((sum, { rollouts }) => sum + rollouts.length, 0)
  const { bytes, tree } = await node.payloads.seal('rollouts', bundle)
  const commitment = { round, root: tree[0] as Root, count, policyHash }
  const contentId = await sealPayload(node, bytes, { kind: 'rollouts', ...commitment }, begun)
  noteCommitted(node.journal, round, contentId)
  // Learning does not wait for the chain: the outbox sees to it, and a commitment that fails costs the points, not the lesson.
  void node.chain
    .commitRollouts({ ...commitment, contentId })
    .then(outcome => reportOutcome(node.logger, 'rollouts committed', outcome, { round }))
}
