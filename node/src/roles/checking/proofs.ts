import { UNAVAILABLE } from '@waggle/deployments/protocol'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import type { PeerKey } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import type { Judge } from '#environments/environment.ts'
import type { CheckedRollout } from '../draws/checkRollouts.ts'
import type { WantedPayload } from '../fetch/holders.ts'
import { isProven, type PeerFault, type PeerResult, peerFault, peerWork, resultInTime } from '../fetch/peerResult.ts'
import type { PeerNode } from '../peerNode.ts'
import { createBaseTurns } from './baseTurns.ts'
import { checkSampling, type Leeway, type PublishedReader, type SampledWork } from './checkSampling.ts'
import type { HeldBases } from './heldBases.ts'
import { createHeldPolicies, type PolicyMemory, policyMemory } from './heldPolicies.ts'
import { createPolicyBases, type PolicyBases } from './policyBases.ts'

/** Inputs of scores. Without `bases`, adapters are checked over the environment's model alone. */
export type Models = { judge: Judge; reader: PublishedReader; bases?: HeldBases | undefined }

/** Shared by proofs that are read together: memory for policies, and a name of the task, in which each base is loaded once at most. */
export type ProofTask = { memory: PolicyMemory; turn?: string | undefined }

type Committed = Pick<RolloutCommitment, 'peerKey' | 'policyHash'> & Pick<WantedPayload, 'keepers'>

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
  /** Says that a commitment is not proven: checks over some bases wait for all others. */
  skip(): void
}

/** The vote for a peer whose work does not count. */
export function scoreWithout(result: PeerResult<unknown>): number {
  return !result.ok && isProven(result) ? 0 : UNAVAILABLE
}

/**
 * Proofs of sampling in a round: a peer's answers count if the policy that it named before the round sampled them.
 *
 * @param models.reader - of the policies that peers publish.
 * @param commitments - each is proven once, or skipped.
 */
export async function openProofs(
  modules: ProofModules,
  models: Pick<Models, 'reader' | 'bases'>,
  { round, before, beacon }: Pick<SampledWork, 'round' | 'before' | 'beacon'>,
  commitments: readonly Committed[],
  { memory, turn }: ProofTask = { memory: policyMemory() },
): Promise<Proofs> {
  const { chain, fetchPlan, bundles, environment, logger, signal: stopping } = modules
  const peerKeys = commitments.map(({ peerKey }) => peerKey)
  const policies = await chain.readPolicies(round, peerKeys)
  const isNamed = ({ peerKey, policyHash }: Committed) => policies.get(peerKey) === policyHash
  const coming = new Map<PeerKey, Promise<PeerResult<unknown>>>()
  const { hold, takeHeld } = createHeldPolicies(bundles, memory)
  const bases = createPolicyBases(environment, models.bases)
  const isTight = models.bases?.fitTogether === false
  // One check at a time: a policy is in memory as a whole while it is read.
  const turns = createBaseTurns(commitments.length, isTight ? environment.solverFolder : null)
  const checkBy = createCheck(modules, models.reader, { round, before, beacon, turn, bases, takeHeld })

  async function check(commitment: Committed, leaves: readonly CheckedRollout[] | null, signal: AbortSignal) {
    const base = await baseToCheck(commitment, leaves).catch(error => {
      turns.skip()
      throw error
    })
    if (base.ok && leaves !== null) return turns.run(base.value, () => checkBy(commitment, leaves, signal))
    turns.skip()
    return base as PeerFault
  }

  /** Waits for the policy. @returns the folder of its base. */
  async function baseToCheck(
    commitment: Committed,
    leaves: readonly CheckedRollout[] | null,
  ): Promise<PeerResult<string>> {
    if (!isNamed(commitment)) return peerFault('not sampled', 'its policy was not named before the round')
    if (leaves === null) return peerFault('failed', 'its prompts quote answers that this node cannot get')
    // Peers that did not serve it are not asked again: others wait for their checks.
    const came = await coming.get(commitment.peerKey)
    if (came?.ok === false) return came
    // Without leaves nothing is read, and the score is 0 over any base.
    return leaves.length === 0 ? { ok: true, value: environment.solverFolder } : bases.folderOf(commitment.peerKey)
  }

  return {
    async fetch(signal) {
      const wanted = commitments.filter(isNamed).map(one => ({ ...wantedOf(one, round), mayReturn: true }))
      const visits = fetchPlan.visitEach(wanted, signal, async (bytes, at) => {
        await bases.note(at.peerKey, bytes)
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
    skip: turns.skip,
  }
}

/** The payload of a policy, whose hash is its content id. */
const wantedOf = ({ peerKey, policyHash, keepers = [] }: Committed, round: number) =>
  ({ kind: 'policy', round, contentId: policyHash as Hex, peerKey, keepers }) as const

type CheckedRound = Pick<SampledWork, 'round' | 'before' | 'beacon'> &
  Pick<ProofTask, 'turn'> & { bases: PolicyBases; takeHeld: ReturnType<typeof createHeldPolicies>['takeHeld'] }

/** The check of leaves by the policy of their peer, which is read for it. */
function createCheck(
  { chainId, fetchPlan, environment, logger, signal: stopping }: ProofModules,
  reader: PublishedReader,
  { round, before, beacon, turn, bases, takeHeld }: CheckedRound,
) {
  return async (
    commitment: Committed,
    leaves: readonly CheckedRollout[],
    signal: AbortSignal,
  ): Promise<PeerResult<Leeway>> => {
    signal.throwIfAborted()
    const { peerKey } = commitment
    const policy = takeHeld(peerKey) ?? (await fetchPlan.fetch(wantedOf(commitment, round), signal))
    if (!policy.ok) return policy
    if (leaves.length === 0) return { ok: true, value: { forgiven: 0, bits: 0 } } as const
    // Known already, unless it was not fetched before.
    if (!bases.has(peerKey)) await bases.note(peerKey, policy.value)
    const base = bases.folderOf(peerKey)
    if (!base.ok) return base
    const work = { chainId, round, peerKey, before, beacon }
    const published = { policy: policy.value, base: base.value, turn }
    const result = await peerWork({ about: { kind: 'policy', round, peerKey }, logger, signal: stopping }, () =>
      checkSampling(reader, published, work, environment.spec, leaves),
    )
    return !result.ok && result.fault === 'no base' ? bases.lacking(peerKey, result.reason) : result
  }
}
