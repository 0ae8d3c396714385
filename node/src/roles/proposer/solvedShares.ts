import { SHARD_PEERS, TOLERANCE_MILLI, UNAVAILABLE } from '@waggle/deployments/protocol'
import type { RevealedVotes } from '#chain/votes/readVotes.ts'
import type { Beacon, PeerKey } from '#core/hashes.ts'
import type { LeafScore, PeerScore } from '#core/payloads/payloads.ts'
import { yieldToEventLoop } from '#core/threads/yieldToEventLoop.ts'
import { type RoundRules, roundRules } from '../draws/checkRollouts.ts'
import { sampledLeaves } from '../draws/drawCommittee.ts'
import { drawTasks, readTaskPlaces } from '../draws/drawTasks.ts'
import { beaconOf } from '../draws/roundBeacon.ts'
import { openScoreSheet } from '../fetch/openScoreSheet.ts'
import { isMissing, peerFault } from '../fetch/peerResult.ts'
import type { PeerNode } from '../peerNode.ts'

/** Maximum of solvers of a round whose answers are read: a large swarm needs no more, and each one costs reads of its seats' score sheets. */
const MAX_SOLVERS = 64
/** A single answer does not show how often a task is solved: every task would seem too easy or too hard. */
const MIN_ANSWERS = 2

/** Solved shares of a proposer's tasks. */
export type SolvedShares = {
  /** From 0 to 1, by a task's place; without tasks that nobody was scored on, or that do not count. */
  readonly shares: ReadonlyMap<number, number>
  /** Missing score sheets: they may arrive later. */
  readonly missing: number
}

/** An answer to the task of a place, and its scores in score sheets, in thousandths. */
type ScoredAnswer = { readonly place: number; readonly scoresMilli: readonly number[] }

/** A solver that answered own tasks: the leaves that count, and the place of the task that each answers. */
type Answered = { peerKey: PeerKey; ordinal: number; settledMilli: number; placeOf: ReadonlyMap<number, number> }

/**
 * The share of right answers to each of this proposer's tasks of a final round. The chain has the tasks that each solver owed, the drawn answers,
 * the settled scores, and the score sheets behind the votes. Of the score sheets whose votes agree with the settled score, the median of an answer's
 * scores counts.
 *
 * @param until - score sheets that have not arrived by then are missing.
 */
export async function readSolvedShares(node: PeerNode, round: number, until: AbortSignal): Promise<SolvedShares> {
  const [before, beacon] = [await beaconOf(node, round - 1), await beaconOf(node, round)]
  if (before === null || beacon === null) return { shares: new Map(), missing: 0 }
  const at = { chainId: node.chainId, round, beacon: before }
  const rules = await roundRules(node.environment, at, await readTaskPlaces(node, round))
  const answered = await findAnswered(node, round, beacon, rules)
  const { scoreSheets, missing } = await fetchSheets(node, round, answered, until)
  const answers = answered.flatMap(({ peerKey, placeOf }) =>
    [...placeOf].map(([index, place]): ScoredAnswer => {
      const leaves = scoreSheets.flatMap(
        scoreSheet => scoreSheet.get(peerKey)?.leaves.find(leaf => leaf.index === index && isAnswer(leaf)) ?? [],
      )
      return { place, scoresMilli: leaves.map(({ scoreMilli }) => scoreMilli) }
    }),
  )
  return { shares: sharesOf(answers, node.environment.solvedShare), missing }
}

/** A leaf that breaks the rule has no components: it says nothing about its task. */
const isAnswer = ({ components }: LeafScore) => Object.keys(components).length > 0

/** The solved share of each task, by its place: the mean score of its answers. */
export function sharesOf(
  answers: readonly ScoredAnswer[],
  solvedShare: (meanScore: number) => number,
): Map<number, number> {
  const scored = answers.filter(({ scoresMilli }) => scoresMilli.length > 0)
  const shares = new Map<number, number>()
  for (const [place, ofPlace] of Map.groupBy(scored, answer => answer.place)) {
    if (ofPlace.length < MIN_ANSWERS) continue
    const total = ofPlace.reduce((sum, { scoresMilli }) => sum + medianOf(scoresMilli), 0)
    shares.set(place, solvedShare(total / ofPlace.length / 1000))
  }
  return shares
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [sorted[(sorted.length - 1) >> 1] as number, sorted[sorted.length >> 1] as number]
  return (low + high) / 2
}

/** Solvers with a settled score that were drawn for own tasks. */
async function findAnswered(node: PeerNode, round: number, beacon: Beacon, rules: RoundRules): Promise<Answered[]> {
  const { chain, chainId, identity } = node
  const { spec } = rules
  const settled = new Map(
    (await chain.readSettlements(round))
      .filter(({ outcome }) => outcome === 'scored')
      .map(({ peerKey, scoreMilli }) => [peerKey, scoreMilli]),
  )
  const found: Answered[] = []
  for (const { peerKey, ordinal } of await chain.readRolloutCommitments(round)) {
    const settledMilli = settled.get(peerKey)
    if (settledMilli === undefined) continue
    if (found.length === MAX_SOLVERS) break
    await yieldToEventLoop()
    const owed = drawTasks(chainId, round, peerKey, rules)
    const placeOf = new Map<number, number>()
    for (const index of sampledLeaves(chainId, round, beacon, peerKey, spec)) {
      const ref = owed[Math.floor(index / spec.groupSize)]?.ref
      if (ref?.peerKey === identity.peerKey) placeOf.set(index, ref.index)
    }
    if (placeOf.size > 0) found.push({ peerKey, ordinal, settledMilli, placeOf })
  }
  return found
}

type ScoresOf = ReadonlyMap<PeerKey, PeerScore>

/** The score sheets behind votes on these solvers that agree with the settled score, with their scores of those solvers. */
async function fetchSheets(
  { payloads, chain, chainId, fetchPlan }: PeerNode,
  round: number,
  answered: readonly Answered[],
  until: AbortSignal,
): Promise<{ scoreSheets: ScoresOf[]; missing: number }> {
  const wanted = (await chain.readRevealedVotes(round)).flatMap(vote => {
    const { evaluatorKey, contentId } = vote
    const agreeing = answered.filter(solver => agrees(vote, solver))
    const votes = new Map(agreeing.map(({ peerKey, ordinal }) => [peerKey, voteOn(vote, ordinal)]))
    return votes.size === 0 ? [] : [{ kind: 'scores' as const, round, contentId, peerKey: evaluatorKey, votes }]
  })
  const visited = await fetchPlan.visit(wanted, until, async (bytes, { peerKey, votes }) => {
    const scoreSheet = await openScoreSheet(payloads, bytes, { chainId, round, evaluatorKey: peerKey })
    if (scoreSheet === null) return peerFault('another', 'no score sheet of its evaluator and round')
    const told = scoreSheet.peers.filter(peer => votes.get(peer.peerKey) === peer.scoreMilli)
    return { ok: true, value: new Map(told.map(peer => [peer.peerKey, peer])) }
  })
  return {
    scoreSheets: visited.flatMap(({ result }) => (result.ok ? [result.value] : [])),
    missing: visited.filter(({ result }) => !result.ok && isMissing(result)).length,
  }
}

const voteOn = ({ scoresMilli }: RevealedVotes, ordinal: number) => scoresMilli[ordinal % SHARD_PEERS] ?? UNAVAILABLE

function agrees(vote: RevealedVotes, { ordinal, settledMilli }: Answered): boolean {
  const given = voteOn(vote, ordinal)
  const isOn = vote.shard === Math.floor(ordinal / SHARD_PEERS)
  return isOn && given !== UNAVAILABLE && Math.abs(given - settledMilli) <= TOLERANCE_MILLI
}
