import { MAX_POLICY_BYTES } from '#core/bodySizes.ts'
import type { Hex } from '#core/hex.ts'
import type { PolicyClient } from '#rl/policyClient.ts'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from '../reportOutcome.ts'

/** Rounds that a policy is served for: appeals of a score are over by then. */
const POLICY_ROUNDS = 16

type Modules = Pick<PeerNode, 'chain' | 'journal' | 'logger'>

/**
 * Names the policy as it is now to sample in a round that has not begun: answers of another one score nothing. Waits for no block; a
 * name that comes late costs the points of that round, and no more.
 */
export async function namePolicy(
  { chain, journal, logger }: Modules,
  policy: Pick<PolicyClient, 'weightsHash'>,
  round: number,
) {
  const hash = await policy.weightsHash()
  if (journal.get(round, 'named policy') === hash) return
  journal.set(round, 'named policy', hash)
  void chain.commitPolicy(round, hash).then(outcome => reportOutcome(logger, 'policy named', outcome, { round, hash }))
}

/** Keeps the policy that samples in a round for who checks its answers, and forgets one that nobody asks for any more. */
export async function keepPolicy(
  { bundles, journal, logger }: Pick<PeerNode, 'bundles' | 'journal' | 'logger'>,
  policy: Pick<PolicyClient, 'publish'>,
  round: number,
): Promise<void> {
  const hashOf = (at: number) => journal.get(at, 'policy') as Hex | undefined
  const old = hashOf(round - POLICY_ROUNDS)
  const isKept = Array.from({ length: POLICY_ROUNDS }, (_, i) => hashOf(round - i)).includes(old)
  if (old !== undefined && !isKept) await bundles.forget(old, null)
  const bytes = await policy.publish()
  if (bytes.byteLength <= MAX_POLICY_BYTES) await bundles.put(bytes, round)
  else
    logger.warn('the policy is too large to publish, so that its answers earn nothing; train an adapter', {
      bytes: bytes.byteLength,
    })
}
