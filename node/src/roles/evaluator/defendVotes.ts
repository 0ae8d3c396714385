import { phase, TOLERANCE_MILLI, UNAVAILABLE } from '@waggle/deployments/protocol'
import type { AppealCase } from '#chain/challenges/appeals.ts'
import type { RoundTime } from '#chain/rounds/roundClock.ts'
import { castOn } from '../appellant/chooseScores.ts'
import { openAppeals, restsUntil } from '../appellant/followAppeals.ts'
import { sendAppeal } from '../appellant/sendAppeal.ts'
import { isClearlyOff } from '../appellant/weighAppeal.ts'
import { appealVerdict, isVerdict } from '../audit/voteVerdict.ts'
import { beaconOf } from '../draws/roundBeacon.ts'
import type { PeerNode } from '../peerNode.ts'
import { ownShards } from './ownShards.ts'
import { keptScores } from './scoreSheets.ts'

/**
 * Share of a jury's verdicts that must agree with the own vote. Where none does, this machine is the one that reads another score; where
 * colluding seats just carry a jury of eleven, three others and more saw the truth.
 */
const WITNESS_SHARE = 1 / 4

/** Each is time for an appeal to be mined. A committee takes half of them, and leaves the others for what may go wrong. */
const STAGGER_STEPS = 10
/** A round whose end nobody knows is staggered as if it lasted so long. */
const MAX_ROUND_SEC = 3_600

/** The current round, as it was told at `atMs` of the node's clock. */
type Begun = { time: Pick<RoundTime, 'round' | 'startsAtSec' | 'endsAtSec' | 'nowSec'>; atMs: number }

/**
 * Appeals the first verdicts that overturn a vote of this seat, in the one round in which they can be appealed, where other seats found
 * what it found. The seats of a committee take turns, and leave a verdict that is appealed: one bond is at stake, and not five.
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

/** A jury of all seats has spoken last: its case closes in the round in which the verdict is known. */
function isOpen({ level, isClosed, closesFrom }: AppealCase, round: number): boolean {
  return level === 1 && !isClosed && closesFrom > round
}

async function defendVote(node: PeerNode, found: AppealCase, begun: Begun): Promise<void> {
  const { chain, logger } = node
  const { round, peerKey, settledMilli } = found
  const kept = await keptScores(node, round)
  const vote = kept?.scoreSheet.peers.find(one => one.peerKey === peerKey)?.scoreMilli ?? UNAVAILABLE
  // Seats of the bootstrap have no stake, and who voted `unavailable` is not blamed.
  if (vote === UNAVAILABLE || round < (await chain.readBootstrapRounds())) return
  const verdicts = (await chain.readVerdicts(found)).map(({ scoreMilli }) => scoreMilli)
  const isMissed = !isVerdict(verdicts, found.drawn) && (await isMissedBySeat(node, found))
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

/** Whether a seat of the committee found nothing to score: then a jury that finds nothing takes the score away. */
async function isMissedBySeat({ chain }: PeerNode, { round, peerKey }: AppealCase): Promise<boolean> {
  const [commitments, votes] = await Promise.all([chain.readRolloutCommitments(round), chain.readRevealedVotes(round)])
  return castOn({ commitments, votes }, peerKey).includes(UNAVAILABLE)
}

/** Resolves once the seats before this one in the committee have had their time. */
async function awaitStagger(node: PeerNode, { round, peerKey }: AppealCase, { time, atMs }: Begun): Promise<void> {
  const { clock, signal } = node
  const { startsAtSec, endsAtSec, nowSec } = time
  const beacon = await beaconOf(node, round)
  const shards = beacon === null ? [] : await ownShards(node, round, beacon)
  const shard = shards.find(({ peers }) => peers.some(one => one.peerKey === peerKey))
  const staggerSec = ((shard?.position ?? 0) * Math.min(MAX_ROUND_SEC, endsAtSec - startsAtSec)) / STAGGER_STEPS
  const waitMs = (startsAtSec + staggerSec - nowSec) * 1000 - (clock.nowMs() - atMs)
  if (waitMs > 0) await clock.sleep(waitMs, signal)
}
