import type { RoundTime } from '#chain/roundClock.ts'
import {
  decodeScoreSheet,
  encodeScoreSheet,
  type PeerScore,
  type ScoreSheet,
  UNAVAILABLE,
  votesOf,
} from '#core/bodies.ts'
import type { Hex } from '#core/hex.ts'
import type { Judge } from '#environments/codezero/createJudge.ts'
import { admitTasks } from '../admitTasks.ts'
import { checkRollouts } from '../checkRollouts.ts'
import { everyRound } from '../everyRound.ts'
import { fetchRollouts, fetchTasks } from '../fetchCommitted.ts'
import type { PeerNode } from '../peerNode.ts'
import { publishBody } from '../publishBody.ts'
import { reportOutcome } from '../reportOutcome.ts'
import { awaitBeacon, beaconOf } from '../roundBeacon.ts'
import { sampledLeaves } from './sampledLeaves.ts'
import { scorePeer } from './scorePeer.ts'

/** Votes on the round before, reveals on the one before that, and settles the third. */
export async function runEvaluator(node: PeerNode, judge: Judge): Promise<void> {
  await everyRound(node, async time => {
    const { round } = time
    // Revealing is due first: it costs nothing, and not revealing is what is punished.
    const duties = [
      () => reveal(node, round - 2),
      () => vote(node, judge, round - 1, time),
      () => settle(node, round - 3, time),
    ]
    for (const duty of duties) await duty()
  })
}

/** Scores what was committed in a round and commits to the votes. A ballot that was made before a restart is kept as it is. */
async function vote(node: PeerNode, judge: Judge, round: number, time: RoundTime): Promise<void> {
  const { chain, identity, journal, logger } = node
  if (round < 0) return
  const seats = await chain.readSeats(round)
  if (!seats.includes(identity.peerKey)) return logger.info('no seat in this round', { round })
  let sheet = await keptSheet(node, round)
  if (sheet === null) {
    const due = deadline(node, time)
    const [before, beacon] = [await beaconOf(node, round - 1), await awaitBeacon(node, time, due)]
    if (before === null || beacon === null) return logger.info('the round is void', { round })
    sheet = await makeSheet(node, judge, { round, before, beacon }, due)
    if (sheet.peers.length === 0) return
    journal.set(round, 'sheet', await node.bundles.put(encodeScoreSheet(sheet), round))
  }
  const contentId = journal.get(round, 'sheet') as Hex
  const outcome = await chain.commitVotes(round, { ...votesOf(sheet), contentId })
  const scores = sheet.peers.map(({ scoreMilli }) => scoreMilli)
  reportOutcome(logger, 'votes committed', outcome, { round, scores })
}

/** The round that is scored, the beacon that its seeds follow from, and its own, which draws the leaves that count. */
type ScoredRound = { round: number; before: Hex; beacon: Hex }

async function makeSheet(
  node: PeerNode,
  judge: Judge,
  { round, before, beacon }: ScoredRound,
  signal: AbortSignal,
): Promise<ScoreSheet> {
  const { chain, identity, environment, chainId } = node
  const { spec, tokenizer } = environment
  const tasks = admitTasks(await fetchTasks(node, round, signal), tokenizer)
  const rules = { spec, tokenizer, tasks, beacon: before }
  const peers: PeerScore[] = []
  // In order of peer key, as the commitments come.
  for (const commitment of await chain.readRolloutCommitments(round)) {
    const { peerKey } = commitment
    // A seat never scores a peer of its own account.
    if ((await chain.readAccountOf(peerKey)) === chain.account) continue
    const fetched = await fetchRollouts(node, round, commitment, signal)
    if (fetched === 'unavailable') peers.push({ peerKey, scoreMilli: UNAVAILABLE, leaves: [] })
    else if (fetched === 'false') peers.push({ peerKey, scoreMilli: 0, leaves: [] })
    else {
      const sampled = sampledLeaves(chainId, round, beacon, peerKey, spec)
      peers.push(await scorePeer(judge, spec, peerKey, checkRollouts(fetched, rules), sampled))
    }
  }
  return { v: 1, chainId, round, evaluatorKey: identity.peerKey, peers }
}

/** Reveals the votes on a round, and publishes what stands behind them. */
async function reveal(node: PeerNode, round: number): Promise<void> {
  const sheet = await keptSheet(node, round)
  if (sheet === null) return
  const contentId = await publishBody(node, encodeScoreSheet(sheet), {
    kind: 'scores',
    round,
    count: sheet.peers.length,
  })
  const outcome = await node.chain.revealVotes(round, { ...votesOf(sheet), contentId })
  reportOutcome(node.logger, 'votes revealed', outcome, { round })
}

/**
 * Settles a round. Anyone may: seats take turns at being first, and each next one waits a fifth of the round longer, so that
 * one transaction is enough and none that stays away can hold it up.
 */
async function settle(node: PeerNode, round: number, { startsAtSec, endsAtSec }: RoundTime): Promise<void> {
  const { chain, identity, clock, logger, signal } = node
  if (round < 0) return
  const commitments = await chain.readRolloutCommitments(round)
  if (commitments.length === 0) return
  const seats = await chain.readSeats(round)
  const seat = seats.indexOf(identity.peerKey)
  const place = seat < 0 ? seats.length : (seat + round) % seats.length
  const waitMs = Math.min(place, 4) * ((endsAtSec - startsAtSec) / 5) * 1000
  await clock.sleep(waitMs, signal)
  const outcomes = await chain.settle(
    round,
    commitments.map(({ peerKey }) => peerKey),
  )
  for (const outcome of outcomes) reportOutcome(logger, 'round settled', outcome, { round, peers: commitments.length })
}

async function keptSheet(node: PeerNode, round: number): Promise<ScoreSheet | null> {
  const contentId = node.journal.get(round, 'sheet')
  const bytes = contentId === undefined ? null : await node.bundles.get(contentId as Hex)
  return bytes === null ? null : decodeScoreSheet(bytes)
}

/** Aborts when a peer that holds a bundle back would make us miss our own vote: at two thirds of the round. */
function deadline({ signal }: PeerNode, { endsAtSec, nowSec }: RoundTime): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(Math.max(1, Math.round(((endsAtSec - nowSec) * 1000 * 2) / 3)))])
}
