import { UNAVAILABLE } from '@waggle/deployments/protocol'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import type { ContentId, PeerKey } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import { createKeyedLimit } from '#core/keyedLimit.ts'
import { MAX_POLICY_BYTES } from '#core/payloads/payloadSizes.ts'
import type { Judge } from '#environments/environment.ts'
import type { CheckedRollout } from '../draws/checkRollouts.ts'
import type { WantedPayload } from '../fetch/holders.ts'
import { isProven, type PeerResult, peerFault, peerWork, resultInTime } from '../fetch/peerResult.ts'
import type { PeerNode } from '../peerNode.ts'
import { checkSampling, type Leeway, type PublishedReader, type SampledWork } from './checkSampling.ts'

/** Inputs of scores. */
export type Models = { judge: Judge; reader: PublishedReader }

type Committed = Pick<RolloutCommitment, 'peerKey' | 'policyHash'> & Pick<WantedPayload, 'keepers'>

/** Bytes of policies that wait in memory for their checks if the disk is full: four of the largest. */
const HELD_BYTES = 4 * MAX_POLICY_BYTES

/** The rest of that memory, for all proofs that are read together. */
export type PolicyMemory = { leftBytes: number }

export const policyMemory = (): PolicyMemory => ({ leftBytes: HELD_BYTES })

type ProofModules = Pick<PeerNode, 'chainId' | 'fetchPlan' | 'logger' | 'signal'> & {
  bundles: Pick<PeerNode['bundles'], 'has'>
  environment: Pick<PeerNode['environment'], 'solverFolder' | 'spec'>
  chain: Pick<PeerNode['chain'], 'readPolicies'>
}

/** Proof of sampling in one round. */
export type Proofs = {
  /** Starts to fetch the policies, so that checks find them on disk. Resolves when each has arrived or failed. */
  fetch(signal: AbortSignal): Promise<void>
  /**
   * Waits for the peer's policy, and checks the leaves by it.
   *
   * @param leaves - drawn by the beacon; empty if none of the scored ones is present, null if this node does not know all of the peer's
   *   prompts.
   * @param signal - gives up; a running check ends by itself.
   */
  prove(
    commitment: Committed,
    leaves: readonly CheckedRollout[] | null,
    signal: AbortSignal,
  ): Promise<PeerResult<Leeway>>
}

/** The vote for a peer whose work does not count. */
export function scoreWithout(result: PeerResult<unknown>): number {
  return !result.ok && isProven(result) ? 0 : UNAVAILABLE
}

/**
 * Proofs of sampling in a round: a peer's answers count if the policy that it named before the round sampled them.
 *
 * @param reader - of the policies that peers publish.
 */
export async function openProofs(
  { chain, chainId, fetchPlan, bundles, environment, logger, signal: stopping }: ProofModules,
  reader: PublishedReader,
  { round, before, beacon }: Pick<SampledWork, 'round' | 'before' | 'beacon'>,
  commitments: readonly Committed[],
  memory = policyMemory(),
): Promise<Proofs> {
  const peerKeys = commitments.map(({ peerKey }) => peerKey)
  const policies = await chain.readPolicies(round, peerKeys)
  const isNamed = ({ peerKey, policyHash }: Committed) => policies.get(peerKey) === policyHash
  // A policy's hash is the content id of its payload.
  const wantedOf = ({ peerKey, policyHash, keepers = [] }: Committed) =>
    ({ kind: 'policy', round, contentId: policyHash as Hex, peerKey, keepers }) as const

  const coming = new Map<PeerKey, Promise<PeerResult<unknown>>>()
  const { hold, takeHeld } = createHeldPolicies(bundles, memory)
  // A policy is in memory as a whole while it is read.
  const one = createKeyedLimit(1)

  async function check(commitment: Committed, leaves: readonly CheckedRollout[] | null, signal: AbortSignal) {
    if (!isNamed(commitment)) return peerFault('not sampled', 'its policy was not named before the round')
    if (leaves === null) return peerFault('failed', 'its prompts quote answers that this node cannot get')
    const { peerKey } = commitment
    // Peers that did not serve it are not asked again: others wait for their checks.
    const came = await coming.get(peerKey)
    return came?.ok === false ? came : one.run('', () => checkBy(commitment, leaves, signal), signal)
  }

  async function checkBy(commitment: Committed, leaves: readonly CheckedRollout[], signal: AbortSignal) {
    const { peerKey } = commitment
    const policy = takeHeld(peerKey) ?? (await fetchPlan.fetch(wantedOf(commitment), signal))
    if (!policy.ok) return policy
    if (leaves.length === 0) return { ok: true, value: { forgiven: 0, bits: 0 } } as const
    const work = { chainId, round, peerKey, before, beacon }
    const published = { policy: policy.value, base: environment.solverFolder }
    return peerWork({ about: { kind: 'policy', round, peerKey }, logger, signal: stopping }, () =>
      checkSampling(reader, published, work, environment.spec, leaves),
    )
  }

  return {
    async fetch(signal) {
      const wanted = commitments.filter(isNamed).map(one => ({ ...wantedOf(one), mayReturn: true }))
      const visits = fetchPlan.visitEach(wanted, signal, async (bytes, at) => {
        hold(bytes, at)
        return { ok: true, value: null }
      })
      for (const [at, { peerKey }] of wanted.entries()) {
        const fetched = (visits[at] as (typeof visits)[number]).then(({ result }) => result)
        fetched.catch(() => undefined) // is thrown to the waiting caller, if there is one
        coming.set(peerKey, fetched)
      }
      await Promise.allSettled(coming.values())
    },
    async prove(commitment, leaves, signal) {
      const proven = await resultInTime<Leeway>(check(commitment, leaves, signal), signal, stopping)
      const { peerKey } = commitment
      if (proven.ok) logger.debug('sampling is proven', { round, peerKey, leaves: leaves?.length, ...proven.value })
      else logger.info('sampling is not proven', { round, peerKey, fault: proven.fault, reason: proven.reason })
      return proven
    },
  }
}

/** Policies in memory that are not on the disk: a check must not fetch a policy again from a slow peer while others wait. */
function createHeldPolicies(bundles: ProofModules['bundles'], memory: PolicyMemory) {
  const held = new Map<PeerKey, Uint8Array>()

  return {
    hold(bytes: Uint8Array, { contentId, peerKey }: { contentId: ContentId; peerKey: PeerKey }): void {
      if (bundles.has(contentId) || bytes.byteLength > memory.leftBytes) return
      memory.leftBytes -= bytes.byteLength
      held.set(peerKey, bytes)
    },
    takeHeld(peerKey: PeerKey): PeerResult<Uint8Array> | null {
      const bytes = held.get(peerKey)
      if (bytes === undefined) return null
      held.delete(peerKey)
      memory.leftBytes += bytes.byteLength
      return { ok: true, value: bytes }
    },
  }
}
