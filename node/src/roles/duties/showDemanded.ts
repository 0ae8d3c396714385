import { COMMITMENT_RING } from '@waggle/deployments/protocol'
import { keccak256 } from 'viem'
import type { LeafDemand, ShownLeaf } from '#chain/challenges/leafDemands.ts'
import type { RoundTime } from '#chain/rounds/roundClock.ts'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import type { PeerKey } from '#core/hashes.ts'
import { proofIn } from '#core/merkle.ts'
import { type OpenedPayload, type RolloutBundle, rolloutLeaf } from '#core/payloads/payloads.ts'
import { openCommitted } from '../fetch/fetchCommitted.ts'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from '../reportOutcome.ts'

/** A peer publishes its own leaves at once. Evaluators publish kept leaves of others, late and in sequence. */
type ShownLeaves = 'own' | 'others'

/** Polls in a round. A demand stays open for at least one whole round, and the transaction takes part of that. */
const POLLS_PER_ROUND: Readonly<Record<ShownLeaves, number>> = { own: 4, others: 32 }
const MAX_WAIT_MS = 60_000
/** While no leaf can be due before a later time. */
const MAX_REST_MS = 600_000
/** Rounds after its own in which the chain stores a commitment. */
const REMEMBERED_ROUNDS = COMMITMENT_RING - 1
/** Until the length of a round is known. */
const FIRST_WAIT_MS = 5_000
/** Shares of a demand's last round between which evaluators show: its peer had half of that round, and a transaction has an eighth. */
const [OTHERS_FROM, OTHERS_UNTIL] = [1 / 2, 7 / 8]
/** Most leaves of others in the queue: a block takes as many, and others may show the rest meanwhile. */
const MOST_OF_OTHERS = 16

/**
 * Publishes demanded leaves until the node stops. The challenger's bond pays the gas. An unanswered demand costs the peer its round, so
 * evaluators publish the leaves that they scored if their peer does not.
 */
export async function showDemanded(node: PeerNode, leaves: ShownLeaves): Promise<void> {
  const { chain, clock, logger, signal } = node
  const demanded: Demanded = { answered: new Set(), queued: new Set(), missing: new Set() }
  let waitMs = FIRST_WAIT_MS
  while (!signal.aborted) {
    try {
      const time = await chain.rounds.recent()
      const [roundMs, passed] = [(time.endsAtSec - time.startsAtSec) * 1000, passedOf(time)]
      const pollMs = roundMs / POLLS_PER_ROUND[leaves]
      const isTime = leaves === 'own' || passed >= OTHERS_FROM
      const waits = isTime && (await answerAll(node, leaves, time, demanded))
      // If no leaf of others is waiting, the chain is not asked until the next time one may be due.
      const restMs = (OTHERS_FROM - passed + (isTime ? 1 : 0)) * roundMs
      const rests = leaves === 'others' && !waits
      waitMs = rests ? Math.min(MAX_REST_MS, Math.max(pollMs, restMs)) : Math.min(MAX_WAIT_MS, pollMs)
    } catch (error) {
      if (signal.aborted) return
      logger.warn('demands could not be read', { error })
    }
    await clock.sleep(waitMs, signal).catch(() => undefined)
  }
}

/** Demands by id. */
type Demanded = {
  /** Those whose leaf is queued or was sent. */
  answered: Set<string>
  /** Those whose call has no outcome yet. */
  queued: Set<string>
  /** Those without a leaf at the last poll: an endpoint may have left out its commitment. */
  missing: Set<string>
}

/** @returns whether open demands wait for their time, for space in the queue or for their leaf at this node. */
async function answerAll(
  node: PeerNode,
  leaves: ShownLeaves,
  time: RoundTime,
  { answered, queued, missing }: Demanded,
): Promise<boolean> {
  const { chain, identity, logger } = node
  const isOwn = ({ peerKey }: LeafDemand) => peerKey === identity.peerKey
  const isDue = (demand: LeafDemand) => (leaves === 'own' ? isOwn(demand) : isDueHere(demand, identity.peerKey, time))
  // A demand that was opened before the chain stood still is still open.
  const demands = await chain.readDemands({ first: Math.max(0, time.round - REMEMBERED_ROUNDS), last: time.round })
  const due = demands.filter(one => one.state === 'open' && isDue(one))
  // By turns, so that evaluators with many of the same demands do not send the same leaves.
  due.sort((a, b) => turnOf(a, identity.peerKey) - turnOf(b, identity.peerKey))
  let isMissing = false
  const most = leaves === 'own' ? Number.POSITIVE_INFINITY : MOST_OF_OTHERS
  for (const demand of due) {
    const { peerKey, index } = demand
    const id = `${demand.round}:${peerKey}:${index}`
    if (answered.has(id)) continue
    if (queued.size >= most) return true
    const shown = await findLeaf(node, demand)
    if (shown === null) {
      if (leaves === 'own' && !missing.has(id))
        logger.warn('a leaf is demanded that is not there; the round is lost unless it is found', { ...idOf(demand) })
      missing.add(id)
      isMissing = true
      continue
    }
    void chain.showLeaf(shown, demand.round + REMEMBERED_ROUNDS).then(outcome => {
      reportOutcome(logger, 'leaf shown', outcome, idOf(demand))
      queued.delete(id)
      // Nothing was sent: a server that lags behind does not know the demand yet.
      if (outcome.status === 'reverted' && outcome.hash === null) answered.delete(id)
    })
    // Only now: if a full disk prevents sending, it is tried again.
    answered.add(id)
    queued.add(id)
  }
  return isMissing || demands.some(one => one.state === 'open' && !isOwn(one) && !isDue(one))
}

const idOf = ({ round, peerKey, index, challenger }: LeafDemand) => ({ round, peerKey, index, challenger })

const passedOf = ({ nowSec, startsAtSec, endsAtSec }: RoundTime) => (nowSec - startsAtSec) / (endsAtSec - startsAtSec)

/** Whether it is this evaluator's turn. */
function isDueHere(demand: LeafDemand, evaluatorKey: PeerKey, time: RoundTime): boolean {
  const turn = OTHERS_FROM + turnOf(demand, evaluatorKey) * (OTHERS_UNTIL - OTHERS_FROM)
  // It is open for longer if the chain stood still.
  return (time.round === demand.throughRound && passedOf(time) >= turn) || time.round > demand.throughRound
}

/** 0 to 1: a hash spreads evaluators over time, so that later ones find the leaf published. */
function turnOf({ peerKey, round, index }: LeafDemand, evaluatorKey: PeerKey): number {
  const hash = keccak256(Buffer.from(`${round}:${peerKey}:${index}:${evaluatorKey}`))
  return Number.parseInt(hash.slice(2, 10), 16) / 2 ** 32
}

/** The leaf, from the bundle that its peer committed, if that is kept here; else null. */
async function findLeaf(
  { chain, chainId, bundles, payloads }: PeerNode,
  { round, peerKey, index }: LeafDemand,
): Promise<ShownLeaf | null> {
  const commitments = await chain.readRolloutCommitments(round)
  const commitment = commitments.find(one => one.peerKey === peerKey)
  const bytes = commitment && (await bundles.get(commitment.contentId))
  const opened = bytes && (await openCommitted(payloads, bytes, { chainId, round }, commitment))
  return commitment && opened && typeof opened !== 'string' ? provenLeaf(opened, commitment, index) : null
}

/** A leaf of a bundle with its payload and its proof; null if the bundle has no leaf of that index. */
export function provenLeaf(
  { payload, tree }: OpenedPayload<RolloutBundle>,
  commitment: RolloutCommitment,
  index: number,
): ShownLeaf | null {
  const leaf = rolloutLeaf(payload, index)
  return leaf === undefined ? null : { ...leaf, commitment, proof: proofIn(tree, index) }
}
