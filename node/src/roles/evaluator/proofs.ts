import type { RolloutCommitment } from '#chain/readCommitments.ts'
import { UNAVAILABLE } from '#core/bodies.ts'
import type { Judge } from '#environments/environment.ts'
import type { CheckedRollout } from '../checkRollouts.ts'
import { isProven, type PeerResult, peerFault, peerWork } from '../fetch/peerResult.ts'
import type { PeerNode } from '../peerNode.ts'
import { checkSampling, type PublishedReader, type SampledWork } from './checkSampling.ts'

/** What scores are made with. */
export type Models = { judge: Judge; reader: PublishedReader }

type Committed = Pick<RolloutCommitment, 'peerKey' | 'policyHash'>

export type ProofModules = Pick<PeerNode, 'chainId' | 'fetchPlan' | 'logger' | 'signal'> & {
  environment: Pick<PeerNode['environment'], 'solverFolder' | 'spec'>
  chain: Pick<PeerNode['chain'], 'readPolicies'>
}

/** Proof of sampling in one round. */
export type Proofs = {
  /** Fetches the policies, so that checks find them on the disk. */
  fetch(signal: AbortSignal): Promise<void>
  /** @param leaves - that the beacon draws; none where none of the scored ones is there. */
  prove(commitment: Committed, leaves: readonly CheckedRollout[], signal: AbortSignal): Promise<PeerResult<unknown>>
}

/** The vote on a peer whose work does not count. */
export function scoreWithout(result: PeerResult<unknown>): number {
  return !result.ok && isProven(result) ? 0 : UNAVAILABLE
}

/**
 * Proofs of sampling in a round: a peer's answers count if the policy that it named before the round sampled them.
 *
 * @param reader - of the policies that peers publish.
 */
export async function openProofs(
  { chain, chainId, fetchPlan, environment, logger, signal: stopping }: ProofModules,
  reader: PublishedReader,
  { round, before, beacon }: Pick<SampledWork, 'round' | 'before' | 'beacon'>,
  commitments: readonly Committed[],
): Promise<Proofs> {
  const peerKeys = commitments.map(({ peerKey }) => peerKey)
  const policies = await chain.readPolicies(round, peerKeys)
  const isNamed = ({ peerKey, policyHash }: Committed) => policies.get(peerKey) === policyHash
  const wantedOf = ({ peerKey, policyHash }: Committed) =>
    ({ kind: 'policy', round, contentId: policyHash, peerKey }) as const

  async function check(commitment: Committed, leaves: readonly CheckedRollout[], signal: AbortSignal) {
    if (!isNamed(commitment)) return peerFault('not sampled', 'its policy was not named before the round')
    const policy = await fetchPlan.fetch(wantedOf(commitment), signal)
    if (!policy.ok || leaves.length === 0) return policy
    const { peerKey } = commitment
    const work = { chainId, round, peerKey, before, beacon }
    const published = { policy: policy.value, base: environment.solverFolder }
    return peerWork({ about: { kind: 'policy', round, peerKey }, logger, signal: stopping }, () =>
      checkSampling(reader, published, work, environment.spec, leaves),
    )
  }

  return {
    async fetch(signal) {
      const wanted = commitments.filter(isNamed).map(wantedOf)
      await fetchPlan.visit(wanted, signal, async () => ({ ok: true, value: null }))
    },
    async prove(commitment, leaves, signal) {
      const proven = await check(commitment, leaves, signal)
      const { peerKey } = commitment
      if (proven.ok) logger.debug('sampling is proven', { round, peerKey, leaves: leaves.length })
      else logger.info('sampling is not proven', { round, peerKey, fault: proven.fault, reason: proven.reason })
      return proven
    },
  }
}
