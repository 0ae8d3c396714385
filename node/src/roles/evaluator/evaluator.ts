import { phase } from '@waggle/deployments/protocol'
import type { RoundTime } from '#chain/rounds/roundClock.ts'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import { withDeadline } from '#core/deadline.ts'
import type { Beacon } from '#core/hashes.ts'
import { mapConcurrently } from '#core/mapConcurrently.ts'
import type { OpenedPayload, PeerScore, RolloutBundle, ScoreSheet } from '#core/payloads/payloads.ts'
import { followAppeals } from '../appellant/followAppeals.ts'
import { policyMemory } from '../checking/heldPolicies.ts'
import { type Models, openProofs, scoreWithout } from '../checking/proofs.ts'
import { scoreRollouts } from '../checking/scoreRollouts.ts'
import { stageSource } from '../draws/beaconTasks.ts'
import { roundRules } from '../draws/checkRollouts.ts'
import { readTaskPlaces } from '../draws/drawTasks.ts'
import { type OwnShard, ownShards } from '../draws/ownShards.ts'
import { awaitBeacon, beaconOf, recordInTime } from '../draws/roundBeacon.ts'
import { claimEarnings } from '../duties/claimEarnings.ts'
import { everyRound } from '../duties/everyRound.ts'
import { keepStake } from '../duties/keepStake.ts'
import { settleRound } from '../duties/settleRound.ts'
import { withdrawCredit } from '../duties/withdrawCredit.ts'
import { REFUTED, type Refutations } from '../evidence/refutations.ts'
import { fetchEachRollouts } from '../fetch/fetchCommitted.ts'
import { isMissing, isProven, type PeerResult, resultInTime } from '../fetch/peerResult.ts'
import type { PeerNode } from '../peerNode.ts'
import { defendVotes } from './defendVotes.ts'
import { closeOwnDemands, demandMissing } from './demandMissing.ts'
import { findFalseLeaf, showFalseLeaf, showWithheldSecrets } from './findFalseLeaf.ts'
import { judgeAppeals } from './judgeAppeals.ts'
import { closeOpenings, openSamples } from './openSamples.ts'
import { keepScores, keptScores, revealBallots, sealBallots } from './scoreSheets.ts'

/** Shares of the rest of a round: after the first, missing payloads are no longer waited for; after the second, checks stop and votes are sent. */
const [VOTES_UNTIL, CHECKS_UNTIL] = [2 / 3, 5 / 6]

/** Accounts read in parallel. A seat of a large swarm scores a thousand peers: in sequence that takes a minute. */
const ACCOUNTS_AT_ONCE = 64

type Due = { votesDue: AbortSignal; checksDue: AbortSignal }

type EvaluatorSettings = {
  /** Maximum of withheld leaves that it demands in a round; each takes a bond. */
  demands: number
  /** Maximum of open appeals of verdicts over its own votes; each takes a bond. */
  maxAppeals: number
}

/** Votes on the round before, reveals on the one before that, settles the third, and judges appeals that it was drawn for. */
export async function runEvaluator(node: PeerNode, models: Models, settings: EvaluatorSettings): Promise<void> {
  const { demands, maxAppeals } = settings
  await everyRound(node, async time => {
    const { round } = time
    const begun = { time, atMs: node.clock.nowMs() }
    recordInTime(node, time)
    // Counted from now: the chain's time was read just before, but for the deletion of old payloads.
    const [votesDue, checksDue] = [untilShare(node, time, VOTES_UNTIL), untilShare(node, time, CHECKS_UNTIL)]
    // Their turns may come late, and nothing else waits for them; settlement is closed before votes are ready. Verdicts do not wait for votes: a peer
    // that serves its work slowly would leave no time for them.
    const staggered = Promise.allSettled([
      defendVotes(node, begun, maxAppeals),
      settleRound(node, round - phase.settling, begun),
      judgeAppeals(node, models, round, checksDue),
    ])
    // Revealing comes first: it costs nothing, and silence is punished.
    const duties = [
      () => revealBallots(node, round - phase.revealing),
      () => vote(node, models, round - phase.voting, { time, votesDue, checksDue }, demands),
      () => openSamples(node, round - phase.opening, checksDue),
      () => closeOpenings(node, round - phase.paying, time),
      () => withdrawCredit(node, round),
      () => followAppeals(node, round),
      () => showWithheldSecrets(node, round),
      () => claimEarnings(node, round),
      () => keepStake(node, 'evaluator', round),
      () => closeOwnDemands(node, round),
      async () => {
        for (const ended of await staggered) if (ended.status === 'rejected') throw ended.reason
      },
    ]
    await allOf(duties)
  })
}

/** Runs every duty, even if earlier ones fail, then throws the first failure. */
async function allOf(duties: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = []
  for (const duty of duties) await duty().catch(error => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

/** Scores the commitments of a round and commits to the votes. A ballot from before a restart is kept unchanged. */
async function vote(
  node: PeerNode,
  models: Models,
  round: number,
  { time, ...due }: Due & { time: RoundTime },
  demands: number,
): Promise<void> {
  const { logger } = node
  if (round < Math.max(0, node.countsFrom)) return
  // First, since it also ensures that the beacon is recorded: after a void round the next one would be void as well.
  const beacon = await awaitBeacon(node, time, due.votesDue)
  if (beacon === null) return
  const before = await beaconOf(node, round - 1)
  if (before === null) return logger.info('nothing to score: there is no beacon of the round before', { round })
  const shards = await ownShards(node, round, beacon)
  if (shards.length === 0) return logger.info('nothing to score in this round', { round })
  let kept = await keptScores(node, round)
  if (kept === null) {
    if (!(await node.playsIn(round))) return
    const made = await makeSheet(node, models, { round, before, beacon }, shards, due)
    // A stop cut the work short, which is not the peers' fault: no votes are made.
    node.signal.throwIfAborted()
    const missing = made.missing.map(commitment => ({ round, beacon, commitment }))
    await demandMissing(node, missing, demands)
    kept = await keepScores(node, made.scoreSheet, shards)
  }
  await sealBallots(node, kept, shards)
}

/** The scored round, the beacon of the round before, from which its seeds follow, and its own, which draws the leaves that count. */
type ScoredRound = { round: number; before: Beacon; beacon: Beacon }

/** Scores the peers of the shards; `missing` are those whose rollouts are unavailable. */
async function makeSheet(
  node: PeerNode,
  { judge, ...checking }: Models,
  { round, before, beacon }: ScoredRound,
  shards: readonly OwnShard[],
  { votesDue, checksDue }: Due,
): Promise<{ scoreSheet: ScoreSheet; missing: RolloutCommitment[] }> {
  const { identity, environment, chainId } = node
  const committed = await ofOthers(node, shards)
  const task = { memory: policyMemory(), turn: `votes on round ${round}` }
  const proofs = await openProofs(node, checking, { round, before, beacon }, committed, task)
  const [at, places] = [{ chainId, round, beacon: before }, await readTaskPlaces(node, round)]
  const rules = await roundRules(environment, at, places, stageSource(node, votesDue))
  const score = async (opened: OpenedPayload<RolloutBundle>, commitment: RolloutCommitment) => {
    const work = { chainId, round, peerKey: commitment.peerKey, before, beacon }
    const made = await scoreRollouts(judge, opened.payload, rules, work)
    return { ...made, falseLeaf: findFalseLeaf(opened, commitment, before) }
  }
  const scored = fetchEachRollouts(node, round, committed, votesDue, score, true)
  proofs.fetch(votesDue)
  // Each peer is checked once its rollouts and its policy have arrived, so a slow one does not delay the others.
  const found = await Promise.all(
    scored.map(async (visiting, at) => {
      const wanted = committed[at] as RolloutCommitment
      // If the judge is slow, or its server hangs, the remaining peers are not scored, and the vote is still sent.
      const scoring = visiting.then(visited => visited.result)
      const result = await resultInTime(scoring, checksDue, node.signal)
      if (!result.ok) proofs.skip()
      const counts = result.ok ? await proofs.prove(wanted, result.value.leaves, checksDue) : result
      return { wanted, result, counts }
    }),
  )
  const peers: PeerScore[] = []
  const missing: RolloutCommitment[] = []
  const refuted: Refutations = {}
  for (const { wanted, result, counts } of found) {
    if (result.ok && !counts.ok && isProven(counts)) refuted[wanted.peerKey] = `${counts.fault}: ${counts.reason}`
    if (result.ok) showFalseLeaf(node, result.value.falseLeaf)
    else if (isMissing(result)) missing.push(wanted)
    if (result.ok && counts.ok) peers.push(result.value.score)
    else peers.push({ peerKey: wanted.peerKey, scoreMilli: scoreWithout(counts), leaves: [], ...lacksBase(counts) })
  }
  tellLacking(node, round, peers)
  node.journal.set(round, REFUTED, refuted)
  return { scoreSheet: { v: 1, chainId, round, evaluatorKey: identity.peerKey, peers }, missing }
}

const lacksBase = (counts: PeerResult<unknown>) =>
  counts.ok || counts.base === undefined ? {} : { lacksBase: counts.base }

/** Says whose work this evaluator could not check, by base. */
function tellLacking({ logger }: PeerNode, round: number, peers: readonly PeerScore[]): void {
  const lacking = Map.groupBy(peers, peer => peer.lacksBase)
  for (const [base, of] of lacking)
    if (base !== undefined)
      logger.warn('it cannot check work over a base that it does not hold: it votes unavailable', {
        ...{ round, base, peers: of.map(({ peerKey }) => peerKey) },
      })
}

/** Commitments of peers of other accounts, by peer key: a vote on a peer of the own account does not count. */
async function ofOthers({ chain }: PeerNode, shards: readonly OwnShard[]): Promise<RolloutCommitment[]> {
  const peers = shards.flatMap(shard => shard.peers)
  const accounts = await mapConcurrently(peers, ACCOUNTS_AT_ONCE, ({ peerKey }) => chain.readAccountOf(peerKey))
  return peers.filter((_, at) => accounts[at] !== chain.account).sort((a, b) => (a.peerKey < b.peerKey ? -1 : 1))
}

function untilShare({ signal }: PeerNode, { endsAtSec, nowSec }: RoundTime, share: number): AbortSignal {
  return withDeadline(signal, (endsAtSec - nowSec) * 1000 * share)
}
