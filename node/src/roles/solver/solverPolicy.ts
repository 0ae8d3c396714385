import type { PolicyHash } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import type { Logger } from '#core/logger.ts'
import { MAX_POLICY_BYTES } from '#core/payloads/payloadSizes.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import { HISTORY_ROUNDS } from '../duties/retention.ts'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from '../reportOutcome.ts'
import type { Learner } from './learner.ts'
import type { LearnedRound } from './learnRound.ts'

/** Rounds for which a policy is served after its last round of sampling: appeals of a score are over by then. */
const POLICY_ROUNDS = 16

/** The sampling policy: the current one, or the one that was named. */
export type Sampler = Pick<PolicyClient, 'weightsHash' | 'generate'>

type Modules = Pick<PeerNode, 'bundles' | 'journal' | 'logger'> & {
  chain: Pick<PeerNode['chain'], 'peerKey' | 'commitPolicy' | 'readPolicies'>
}

/**
 * Names the current policy for sampling from the next round on, and stores its bytes: answers of another policy score nothing. Does not
 * wait for a block; if the name is too late, the earlier one stays valid.
 */
export async function namePolicy(
  { chain, bundles, journal, logger }: Modules,
  policy: Pick<PolicyClient, 'weightsHash' | 'publish'>,
  nextRound: number,
): Promise<void> {
  const hash = await policy.weightsHash()
  if (journal.get(nextRound, 'named policy') === hash) return
  const bytes = await policy.publish()
  if (bytes.byteLength > MAX_POLICY_BYTES) {
    const about = { bytes: bytes.byteLength, most: MAX_POLICY_BYTES }
    logger.warn('the policy is too large to publish, so that its answers earn nothing; train an adapter', about)
    return
  }
  await bundles.put(bytes, nextRound)
  await forgetOld({ bundles, journal }, nextRound, hash)
  const about = { round: nextRound, hash }
  void chain.commitPolicy(nextRound, hash).then(outcome => reportOutcome(logger, 'policy named', outcome, about))
  // Only now: if a full disk prevents sending, it is named again.
  journal.set(nextRound, 'named policy', hash)
}

/**
 * The sampler of a round: the policy that the chain names for it. If the trained policy differs, because its commitment came too late or the
 * checkpoint is older, the stored bytes of the named one sample; training continues with the trained one.
 *
 * @param base - folder of the environment's base.
 */
export async function samplerOf(
  modules: Modules,
  policy: Sampler & Pick<PolicyClient, 'publish' | 'generatePublished'>,
  base: string,
  round: number,
): Promise<Sampler> {
  const { chain, bundles, journal, logger } = modules
  const named = (await chain.readPolicies(round, [chain.peerKey])).get(chain.peerKey)
  const trained = await policy.weightsHash()
  const bytes =
    named === undefined ? null : named === trained ? await policy.publish() : await bundles.get(named as Hex)
  if (named === undefined || bytes === null) {
    const why = named === undefined ? 'none was named in time' : 'the named one is not kept here'
    logger.warn('the policy of this round is not the named one: its answers earn nothing', {
      round,
      why,
      named,
      trained,
    })
    return policy
  }
  // It is stored with the last round that it sampled in.
  await bundles.put(bytes, round)
  journal.set(round, 'sampling policy', named)
  if (named === trained) return policy
  logger.info('the policy that was named last samples; a newer one is named for the next round', {
    round,
    named,
    trained,
  })
  await namePolicy(modules, policy, round + 1)
  return {
    weightsHash: async () => named,
    generate: request => policy.generatePublished({ policy: bytes, base }, request),
  }
}

/** Deletes the policies that are no longer requested, but for the newest. Those of all earlier rounds: the ones between may have been skipped. */
async function forgetOld(
  { bundles, journal }: Pick<Modules, 'bundles' | 'journal'>,
  round: number,
  newest: PolicyHash,
): Promise<void> {
  const used = (at: number) =>
    [journal.get(at, 'named policy'), journal.get(at, 'sampling policy')] as (PolicyHash | undefined)[]
  const usedIn = (last: number, rounds: number) =>
    new Set(Array.from({ length: rounds }, (_, back) => used(last - back)).flat())
  const kept = usedIn(round, POLICY_ROUNDS).add(newest)
  for (const old of usedIn(round - POLICY_ROUNDS, HISTORY_ROUNDS))
    if (old !== undefined && !kept.has(old)) await bundles.forget(old as Hex, null)
}

export type PolicySaver = {
  /** Notes that the policy may differ from the saved one. */
  changes(): void
  /** Saves it if it may have changed. */
  save(): Promise<void>
}

/** Saves a policy, and tries again after a failed save: a full disk may have space again, and a restart would lose the updates. */
export function createPolicySaver(policy: Pick<PolicyClient, 'save'>, folder: string): PolicySaver {
  let isSaved = true
  return {
    changes() {
      isSaved = false
    },
    async save() {
      if (isSaved) return
      await policy.save(folder)
      isSaved = true
    },
  }
}

/**
 * Saves what a round learned. An appeal or a bet uses the same worker: if it died since the last update, the policy is the one that was saved before,
 * and no update of the round is in it.
 *
 * @returns what is in the saved policy.
 * @throws what the save throws.
 */
export async function saveLearned<Learned extends Pick<LearnedRound, 'updates' | 'taken'>>(
  { learner, logger }: { learner: Pick<Learner, 'setbacks'>; logger: Logger },
  saver: PolicySaver,
  round: number,
  learned: Learned,
): Promise<Learned> {
  const setbacks = learner.setbacks()
  await saver.save()
  if (learner.setbacks() === setbacks || learned.updates === 0) return learned
  logger.warn('updates of this round were lost with the worker', { round, updates: learned.updates })
  return { ...learned, updates: 0, taken: 0 }
}

/**
 * Whether the policy is the one that answers a round: notes its hash the first time. After a stop in the middle of learning, the answers
 * that are committed stand, and the changed policy answers the next round.
 */
export async function isItsPolicy(
  { journal, logger }: Pick<PeerNode, 'journal' | 'logger'>,
  policy: Pick<PolicyClient, 'weightsHash'>,
  round: number,
): Promise<boolean> {
  const [noted, hash] = [journal.get(round, 'policy'), await policy.weightsHash()]
  if (noted === undefined) journal.set(round, 'policy', hash)
  if (noted === undefined || noted === hash) return true
  logger.info('this round was answered before the policy learned from it', { round })
  return false
}
