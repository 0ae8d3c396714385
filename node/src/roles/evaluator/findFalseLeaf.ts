import type { FalseLeaf } from '#chain/challenges/challengeFaults.ts'
import type { TxOutcome } from '#chain/outbox/outbox.ts'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import type { Beacon } from '#core/hashes.ts'
import type { LogFields } from '#core/logger.ts'
import { proofIn } from '#core/merkle.ts'
import { type OpenedPayload, type RolloutBundle, rolloutLeaf } from '#core/payloads/payloads.ts'
import { roundSeed } from '../draws/roundSeed.ts'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from '../reportOutcome.ts'

/**
 * The first leaf of a bundle that the chain can recognise as false by its header: its seed is not the one that follows from the beacon, or its
 * policy is not the committed one.
 *
 * @param opened - the bundle behind the commitment.
 * @param beacon - of the round before.
 */
export function findFalseLeaf(
  { payload: bundle, tree }: OpenedPayload<RolloutBundle>,
  commitment: RolloutCommitment,
  beacon: Beacon,
): FalseLeaf | null {
  const seed = roundSeed('rollout', bundle.chainId, bundle.round, beacon, bundle.peerKey)
  const isHonest = bundle.policyHash === commitment.policyHash
  const rollouts = bundle.groups.flatMap(group => group.rollouts)
  const at = rollouts.findIndex(rollout => !isHonest || rollout.seed !== seed)
  const leaf = rolloutLeaf(bundle, at)
  return leaf === undefined ? null : { header: leaf.header, commitment, proof: proofIn(tree, at) }
}

/** Proves a false leaf on the chain. Scoring does not wait for it: a false leaf already counts 0 in the vote. */
export function showFalseLeaf(node: PeerNode, found: FalseLeaf | null): void {
  if (found === null) return
  const { round, peerKey, index } = found.header
  void node.chain.challengeLeaf(found).then(outcome => {
    report(node, 'false leaf shown', 'RewardVotes_AlreadyAnnulled', outcome, { round, peerKey, index })
  })
}

/** Reports proposers that committed to a secret for a round and did not propose, if that costs them stake. */
export async function showWithheldSecrets(node: PeerNode, round: number): Promise<void> {
  const { chain } = node
  const proposed = new Set((await chain.readProposals(round)).map(({ peerKey }) => peerKey))
  for (const peerKey of await chain.readSecretKeepers(round)) {
    if (proposed.has(peerKey) || (await chain.readStake('proposer', peerKey)).amountWei === 0n) continue
    void chain.challengeSecret({ round, peerKey }).then(outcome => {
      report(node, 'withheld secret shown', 'Openings_NothingWithheld', outcome, { round, peerKey })
    })
  }
}

/** Every evaluator finds the fault, and one report is enough. */
function report({ logger }: PeerNode, done: string, known: string, outcome: TxOutcome, fields: LogFields): void {
  const isKnown = outcome.status === 'reverted' && outcome.error.startsWith(known)
  if (isKnown) logger.debug(`${done} by another`, fields)
  else reportOutcome(logger, done, outcome, fields)
}
