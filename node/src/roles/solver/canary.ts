import { packTokens } from '#core/payloads/packedTokens.ts'
import type { CanaryBundle } from '#core/payloads/payloads.ts'
import type { Judge } from '#environments/environment.ts'
import type { Level } from '#environments/level.ts'
import { endsRole } from '../duties/endsRole.ts'
import { CANARY_SEED, sampleHeldOut } from '../models/sampleHeldOut.ts'
import { publishPayload } from '../payloads/publishPayload.ts'
import type { PeerNode } from '../peerNode.ts'
import { noteCanaryPoint } from './provenance.ts'
import type { Sampler } from './solverPolicy.ts'

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
