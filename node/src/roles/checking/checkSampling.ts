import type { Beacon, PeerKey } from '#core/hashes.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import { samplingTolerances } from '#model/proof/samplingTolerances.ts'
import { verifySampling } from '#model/proof/verifySampling.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import type { CheckedGroup, CheckedRollout } from '../draws/checkRollouts.ts'
import { drawIndices } from '../draws/drawIndices.ts'
import { roundSeed } from '../draws/roundSeed.ts'
import { type PeerResult, peerFault } from '../fetch/peerResult.ts'

/**
 * Leaves of a peer that are checked. With one, a solver of accuracy p that samples a few of its answers until they are right gains while
 * p < 1/2; with n, while p < 1/(n + 1).
 */
const CHECKED_LEAVES = 8

/** Reads completions under published policies. */
export type PublishedReader = Pick<PolicyClient, 'readDraws'>

/** A peer's work in a round, and the beacons that it depends on. */
export type SampledWork = {
  chainId: number
  round: number
  peerKey: PeerKey
  /** Beacon of the round before: the seed follows from it. */
  before: Beacon
  /** Beacon of the round itself: it draws the leaves that are checked, once nobody can change them. */
  beacon: Beacon
}

/** The leaves whose sampling is checked: the first present ones of the scored leaves, in the beacon's order. */
export function leavesToCheck(
  { chainId, round, peerKey, beacon }: SampledWork,
  groups: readonly CheckedGroup[],
  sampled: readonly number[],
): CheckedRollout[] {
  const order = drawIndices(sampled.length, sampled.length, roundSeed('proof', chainId, round, beacon, peerKey))
  const there = new Map(groups.flatMap(({ rollouts }) => rollouts.map(rollout => [rollout.index, rollout])))
  return order.flatMap(at => there.get(sampled[at] as number) ?? []).slice(0, CHECKED_LEAVES)
}

/** The freedom that the tolerance leaves a peer in its checked leaves. */
export type Leeway = {
  /** Tokens that did not win their race here. */
  forgiven: number
  /** log2 of the number of leaves that would have passed instead of the checked ones: nearly 0 for any policy. */
  bits: number
}

/**
 * Whether leaves were sampled by the policy that their peer named, with the random numbers that its seed gives: one prefill each
 * (`verifySampling`).
 *
 * @param policy - bytes whose hash was named.
 * @param base - folder of a base of the environment, which an adapter has to name.
 * @param turn - a task in which each base is loaded once at most; without it as often as needed.
 * @returns a proven fault if one was not, the same for every checker; `unsure` if that cannot be decided.
 */
export async function checkSampling(
  reader: PublishedReader,
  { policy, base, turn }: { policy: Uint8Array; base: string; turn?: string | undefined },
  work: SampledWork,
  { solving, groupSize, bases }: Pick<EnvironmentSpec, 'solving' | 'groupSize' | 'bases'>,
  leaves: readonly CheckedRollout[],
): Promise<PeerResult<Leeway>> {
  const { temperature, topP, maxNewTokens } = solving
  const sequences = leaves.map(({ index, promptTokens, completionTokens }) => ({
    tokens: Int32Array.of(...promptTokens, ...completionTokens),
    from: promptTokens.length,
    place: { prompt: Math.floor(index / groupSize), sample: index % groupSize },
  }))
  const seed = roundSeed('rollout', work.chainId, work.round, work.before, work.peerKey)
  const read = await reader.readDraws({ policy, base, sequences, seed, temperature, topP, bases, turn })
  if ('fault' in read) return peerFault(read.fault === 'evicted' ? 'no base' : read.fault, read.reason)
  const leeway = { forgiven: 0, bits: 0 }
  let unsure: PeerResult<never> | null = null
  for (const [at, { index, promptTokens, completionTokens, logprobs, ended }] of leaves.entries()) {
    const [draws, length] = [read.draws[at], completionTokens.length]
    if (draws === undefined) throw new RangeError('every sequence is read')
    const isCut = length < maxNewTokens && promptTokens.length + length < read.maxPositions
    if (!ended && isCut) return peerFault('not sampled', `leaf ${index} stops where sampling does not`)
    const verdict = verifySampling(draws, logprobs, samplingTolerances.float32)
    if (verdict.follows) {
      leeway.forgiven += verdict.forgiven
      leeway.bits += Math.log2(1 + verdict.rivals)
      continue
    }
    const reason = `${verdict.what} ${verdict.at} of leaf ${index} is off by ${verdict.off}`
    if (verdict.follows === false) return peerFault('not sampled', reason)
    unsure ??= peerFault('unsure', reason)
  }
  return unsure ?? { ok: true, value: leeway }
}
