import { APPEALED_AFTER, type AppealCase } from '#chain/appeals.ts'
import { UNAVAILABLE } from '#core/bodies.ts'
import { openAppeals, restsUntil } from '../appellant/followAppeals.ts'
import { sendAppeal } from '../appellant/sendAppeal.ts'
import { isClearlyOff } from '../appellant/weighAppeal.ts'
import { benchVerdict, TOLERANCE_MILLI } from '../audit/voteVerdict.ts'
import type { PeerNode } from '../peerNode.ts'
import { keptScores } from './scoreSheets.ts'

/**
 * Share of a jury's verdicts that must agree with the own vote. Where none does, this machine is the one that reads another score; where
 * colluding seats just carry a jury of eleven, three others and more saw the truth.
 */
const WITNESS_SHARE = 1 / 4

/**
 * Appeals the first verdicts that overturn a vote of this seat, in the one round in which they can be appealed, where other seats found
 * what it found.
 *
 * @param maxAppeals - appeals whose end is open; each takes a bond.
 * @see docs/adr/0112-a-seat-defends-its-vote.md
 */
export async function defendVotes(node: PeerNode, round: number, maxAppeals: number): Promise<void> {
  const { chain } = node
  const opened = round - APPEALED_AFTER
  if (maxAppeals === 0 || opened < 0 || restsUntil(node) > round) return
  const cases = await chain.readAppeals({ first: opened, last: opened })
  for (const found of cases.filter(one => isOpen(one, round))) {
    if (openAppeals(node).length >= maxAppeals) return
    await defendVote(node, found)
  }
}

/** A jury of all seats has spoken last: its case closes in the round in which the verdict is known. */
function isOpen({ level, isClosed, closesFrom }: AppealCase, round: number): boolean {
  return level === 1 && !isClosed && closesFrom > round
}

async function defendVote(node: PeerNode, found: AppealCase): Promise<void> {
  const { chain, logger } = node
  const { round, peerKey, settledMilli } = found
  const kept = await keptScores(node, round)
  const vote = kept?.scoreSheet.peers.find(one => one.peerKey === peerKey)?.scoreMilli ?? UNAVAILABLE
  // Seats of the bootstrap have no stake, and who voted `unavailable` is not blamed.
  if (vote === UNAVAILABLE || round < (await chain.readBootstrapRounds())) return
  const verdicts = await chain.readVerdicts(found)
  const verdictMilli = benchVerdict(verdicts, found.drawn, settledMilli)
  if (verdictMilli === settledMilli || !isClearlyOff(verdictMilli, vote)) return
  const witnesses = verdicts.filter(one => one !== UNAVAILABLE && Math.abs(one - vote) <= TOLERANCE_MILLI).length
  const about = { round, peerKey, level: 2, settledMilli: verdictMilli, foundMilli: vote } as const
  if (witnesses < verdicts.length * WITNESS_SHARE)
    return logger.warn('a jury overturned a vote of this seat, and too few of it agree with the vote', {
      ...about,
      witnesses,
    })
  await sendAppeal(node, about, await chain.readAppealBond(2))
}
