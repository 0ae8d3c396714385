import { phase, TOLERANCE_MILLI, UNAVAILABLE } from '@waggle/deployments/protocol'
import type { AppealCase } from '#chain/challenges/appeals.ts'
import type { RoundTime } from '#chain/rounds/roundClock.ts'
import { roundLengthSec } from '#chain/rounds/roundLength.ts'
import { countOthers, missedBy } from '../appellant/chooseScores.ts'
import { openAppeals, restsUntil } from '../appellant/followAppeals.ts'
import { sendAppeal } from '../appellant/sendAppeal.ts'
import { isClearlyOff } from '../appellant/weighAppeal.ts'
import { appealVerdict } from '../checking/voteVerdict.ts'
import { ownShards } from '../draws/ownShards.ts'
import { beaconOf } from '../draws/roundBeacon.ts'
import type { PeerNode } from '../peerNode.ts'
import { keptScores } from './scoreSheets.ts'

/**
 * Share of a jury's verdicts that must agree with this seat's vote. If none does, this machine is the one that differs; if colluding
 * seats narrowly carry a jury of eleven, at least three others agree.
 */
const WITNESS_SHARE = 1 / 4

/** Each leaves time for an appeal to be mined. A committee uses half of them; the others are a reserve. */
const STAGGER_STEPS = 10

/** The current round, as read at `atMs` of the node's clock. */
type Begun = { time: Pick<RoundTime, 'round' | 'startsAtSec' | 'endsAtSec' | 'nowSec'>; atMs: number }

/**
 * Appeals first verdicts that overturn this seat's vote, in the one round in which they can be appealed, if other seats agree with it.
 * The seats of a committee take turns, and skip a verdict that is already appealed, so that one bond is at stake instead of five.
 *
 * @param maxAppeals - appeals whose end is open; each takes a bond.
 * @see docs/adr/0112-a-seat-defends-its-vote.md
 */
export async function defendVotes(node: PeerNode, begun: Begun, maxAppeals: number): Promise<void> {
  const { chain } = node
  const { round } = begun.time
  const opened = round - phase.settling
  if (maxAppeals === 0 || opened < 0 || restsUntil(node) > round) return
  const cases = await chain.readAppeals({ first: opened, last: opened })
  for (const found of cases.filter(one => isOpen(one, round))) {
    if (openAppeals(node).length >= maxAppeals) return
    await defendVote(node, found, begun)
  }
}

/** A jury of all seats is final: its case closes in the round in which the verdict is known. */
function isOpen({ level, isClosed, closesFrom }: AppealCase, round: number): boolean {
  return level === 1 && !isClosed && closesFrom > round
}

async function defendVote(node: PeerNode, found: AppealCase, begun: Begun): Promise<void> {
  const { chain, logger } = node
  const { round, peerKey, settledMilli } = found
  const kept = await keptScores(node, round)
  const vote = kept?.scoreSheet.peers.find(one => one.peerKey === peerKey)?.scoreMilli ?? UNAVAILABLE
  // Bootstrap seats have no stake, and a vote of `unavailable` is not slashed.
  if (vote === UNAVAILABLE || round < (await chain.readBootstrapRounds())) return
  const verdicts = (await chain.readVerdicts(found)).map(({ scoreMilli }) => scoreMilli)
  const isMissed = verdicts.includes(UNAVAILABLE) && (await isMissedBySeat(node, found))
  const verdictMilli = appealVerdict(verdicts, found.drawn, settledMilli, isMissed && settledMilli > TOLERANCE_MILLI)
  if (verdictMilli === settledMilli || !isClearlyOff(verdictMilli, vote)) return
  const witnesses = verdicts.filter(one => one !== UNAVAILABLE && Math.abs(one - vote) <= TOLERANCE_MILLI).length
  const about = { round, peerKey, level: 2, settledMilli: verdictMilli, foundMilli: vote } as const
  if (witnesses < verdicts.length * WITNESS_SHARE)
    return logger.warn('a jury overturned a vote of this seat, and too few of it agree with the vote', {
      ...about,
      witnesses,
    })
  await awaitStagger(node, found, begun)
  if (!isOpen(await chain.readCase(round, peerKey), begun.time.round)) return
  await sendAppeal(node, about, await chain.readAppealBond(2))
}

/** Whether a seat of another account than the peer's voted `unavailable`: then a jury that finds no bundle removes the score. */
async function isMissedBySeat({ chain }: PeerNode, { round, peerKey }: AppealCase): Promise<boolean> {
  const [commitments, votes] = await Promise.all([chain.readRolloutCommitments(round), chain.readRevealedVotes(round)])
  return (await countOthers(chain, peerKey, missedBy({ commitments, votes }, peerKey))) > 0
}

/** Resolves once the seats before this one in the committee have had their time. */
async function awaitStagger(node: PeerNode, { round, peerKey }: AppealCase, { time, atMs }: Begun): Promise<void> {
  const { clock, signal } = node
  const { startsAtSec, nowSec } = time
  const beacon = await beaconOf(node, round)
  const shards = beacon === null ? [] : await ownShards(node, round, beacon)
  const shard = shards.find(({ peers }) => peers.some(one => one.peerKey === peerKey))
  const staggerSec = ((shard?.position ?? 0) * roundLengthSec(time)) / STAGGER_STEPS
  const waitMs = (startsAtSec + staggerSec - nowSec) * 1000 - (clock.nowMs() - atMs)
  if (waitMs > 0) await clock.sleep(waitMs, signal)
}
