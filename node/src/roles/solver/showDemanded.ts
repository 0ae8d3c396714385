import type { LeafDemand, ShownLeaf } from '#chain/leafDemands.ts'
import type { RolloutCommitment } from '#chain/readCommitments.ts'
import { type RolloutBundle, rolloutLeaf } from '#core/bodies.ts'
import type { OpenedBody } from '#core/bodyOperations.ts'
import { proofIn } from '#core/merkle.ts'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from '../reportOutcome.ts'

/** Polls in a round. A demand stays open for at least one whole round, and the transaction takes part of that. */
const POLLS_PER_ROUND = 4
const MAX_WAIT_MS = 60_000
/** After its round, in which the chain remembers a commitment. */
const REMEMBERED_ROUNDS = 5
/** Until the length of a round is known. */
const FIRST_WAIT_MS = 5_000

/**
 * Shows every leaf of this peer that is demanded, until the node stops: a demand that is not answered costs the round. What it
 * costs is paid from the challenger's bond.
 */
export async function showDemanded(node: PeerNode): Promise<void> {
  const { chain, clock, logger, signal } = node
  const answered = new Set<string>()
  let waitMs = FIRST_WAIT_MS
  while (!signal.aborted) {
    try {
      const { round, startsAtSec, endsAtSec } = await chain.rounds.read()
      waitMs = Math.min(MAX_WAIT_MS, ((endsAtSec - startsAtSec) * 1000) / POLLS_PER_ROUND)
      await answerAll(node, round, answered)
    } catch (error) {
      if (signal.aborted) return
      logger.warn('demands could not be read', { error })
    }
    await clock.sleep(waitMs, signal).catch(() => undefined)
  }
}

async function answerAll(node: PeerNode, round: number, answered: Set<string>): Promise<void> {
  const { chain, identity, logger } = node
  // One that was opened before the chain stood still is open yet.
  const demands = await chain.readDemands({ first: Math.max(0, round - REMEMBERED_ROUNDS), last: round })
  for (const demand of demands.filter(({ peerKey, state }) => peerKey === identity.peerKey && state === 'open')) {
    const { index } = demand
    const id = `${demand.round}:${index}`
    if (answered.has(id)) continue
    const shown = await findLeaf(node, demand)
    if (shown === null) logger.warn('a leaf is demanded that is not there; the round will be lost', { ...idOf(demand) })
    else
      void chain
        .showLeaf(shown, demand.round + REMEMBERED_ROUNDS)
        .then(outcome => reportOutcome(logger, 'leaf shown', outcome, idOf(demand)))
    // Not before: what a full disk keeps from being sent is tried again.
    answered.add(id)
  }
}

const idOf = ({ round, index, challenger }: LeafDemand) => ({ round, index, challenger })

/** The leaf, from the bundle that this peer published; null where that is gone. */
async function findLeaf(
  { chain, identity, bundles, bodies }: PeerNode,
  { round, index }: LeafDemand,
): Promise<ShownLeaf | null> {
  const commitments = await chain.readRolloutCommitments(round)
  const commitment = commitments.find(({ peerKey }) => peerKey === identity.peerKey)
  const bytes = commitment && (await bundles.get(commitment.contentId))
  const opened = bytes && (await bodies.open('rollouts', bytes))
  return commitment && opened ? provenLeaf(opened, commitment, index) : null
}

/** A leaf of a bundle with its body and its proof; null where there is none of that index. */
export function provenLeaf(
  { body, tree }: OpenedBody<RolloutBundle>,
  commitment: RolloutCommitment,
  index: number,
): ShownLeaf | null {
  const leaf = rolloutLeaf(body, index)
  return leaf === undefined ? null : { ...leaf, commitment, proof: proofIn(tree, index) }
}
