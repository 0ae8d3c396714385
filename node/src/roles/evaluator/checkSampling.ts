import type { Hex } from '#core/hex.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import { samplingTolerances } from '#model/proof/samplingTolerances.ts'
import { tokenUniforms } from '#model/proof/tokenUniforms.ts'
import { completionUniforms, verifySampling } from '#model/proof/verifySampling.ts'
import type { PolicyClient } from '#rl/policyClient.ts'
import type { CheckedGroup, CheckedRollout } from '../checkRollouts.ts'
import { drawIndices } from '../drawIndices.ts'
import { type PeerResult, peerFault } from '../fetch/peerResult.ts'
import { roundSeed } from '../roundSeed.ts'

/** Reads what published policies drew. */
export type PublishedReader = Pick<PolicyClient, 'readDraws'>

/** A peer's work in a round, and the beacons that decide on it. */
export type SampledWork = {
  chainId: number
  round: number
  peerKey: Hex
  /** Of the round before: the seed follows from it. */
  before: Hex
  /** Of the round: it draws the leaf that is checked, once nobody can change it. */
  beacon: Hex
}

/** The leaf whose sampling is checked: of those that are scored and there, the first in the beacon's order. Null where there is none. */
export function leafToCheck(
  { chainId, round, peerKey, beacon }: SampledWork,
  groups: readonly CheckedGroup[],
  sampled: readonly number[],
): CheckedRollout | null {
  const order = drawIndices(sampled.length, sampled.length, roundSeed('proof', chainId, round, beacon, peerKey))
  const there = new Map(groups.flatMap(({ rollouts }) => rollouts.map(rollout => [rollout.index, rollout])))
  const found = order.map(at => there.get(sampled[at] as number)).find(rollout => rollout !== undefined)
  return found ?? null
}

/**
 * Whether a leaf was sampled by the policy that its peer named, with the random numbers that its seed gives: one prefill (`verifySampling`).
 *
 * @param policy - bytes whose hash was named.
 * @param base - folder of the environment's base.
 * @returns a proven fault where it was not, the same for whoever checks.
 */
export async function checkSampling(
  reader: PublishedReader,
  { policy, base }: { policy: Uint8Array; base: string },
  work: SampledWork,
  { solving, groupSize }: Pick<EnvironmentSpec, 'solving' | 'groupSize'>,
  { index, promptTokens, completionTokens, logprobs, ended }: CheckedRollout,
): Promise<PeerResult<{ swaps: number }>> {
  const { temperature, maxNewTokens } = solving
  const tokens = Int32Array.of(...promptTokens, ...completionTokens)
  const read = await reader.readDraws({ policy, base, sequences: [{ tokens, from: promptTokens.length }], temperature })
  if ('fault' in read) return peerFault('malformed', read.fault)
  const isCut = completionTokens.length < maxNewTokens && tokens.length < read.maxPositions
  if (!ended && isCut) return peerFault('not sampled', 'the completion stops where sampling does not')
  const seed = roundSeed('rollout', work.chainId, work.round, work.before, work.peerKey)
  const place = { prompt: Math.floor(index / groupSize), sample: index % groupSize }
  const uniforms = completionUniforms(tokenUniforms(seed), place, completionTokens.length)
  const [draws] = read.draws
  if (draws === undefined) throw new RangeError('one sequence was read')
  const verdict = verifySampling(draws, { uniforms, logprobs }, samplingTolerances[read.precision])
  if (verdict.follows) return { ok: true, value: { swaps: verdict.swaps } }
  return peerFault('not sampled', `${verdict.what} ${verdict.at} of leaf ${index} is off by ${verdict.off}`)
}
