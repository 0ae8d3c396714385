import { TOLERANCE_MILLI, UNAVAILABLE } from '../../../deployments/protocol.ts'
import { FEWEST_MISSED } from '../../../node/src/roles/appellant/weighAppeal.ts'
import { appealVerdict } from '../../../node/src/roles/checking/voteVerdict.ts'
import type { Member } from './cast.ts'
import { comes, honestScore, memberOf, pushed } from './evaluators.ts'
import {
  type Answers,
  GAS,
  type Game,
  happens,
  NECTAR_PER_COIN,
  NECTAR_PER_MEGAGAS,
  type OpenCase,
  spend,
  spendGas,
} from './game.ts'
import { CASE, type Outcome, type Verdict } from './ledgers/ledger.ts'
import { truthOf } from './truth.ts'
import { SCORE_COST } from './world.ts'

/** Cost in Nectar of an appeal that is upheld: half of its bond, and gas. */
const COST = [0, 0.005 * NECTAR_PER_COIN, 0.01 * NECTAR_PER_COIN].map(
  fee => fee + (GAS.appeal / 1e6) * NECTAR_PER_MEGAGAS,
)

/** Difference from an own score that justifies an appeal: the noise of both scores is smaller. */
const CLEARLY_MILLI = TOLERANCE_MILLI + 20

/** Appeals scores of the round that was just settled. */
export async function openCases(game: Game, round: number): Promise<void> {
  const works = game.works.get(round) ?? []
  const settled = await Promise.all(works.map(({ peer }) => game.ledger.outcomeOf(round, peer.key)))
  const scores = settled.map(found => found?.scoreMilli ?? 0)
  for (const [at, work] of works.entries()) {
    const outcome = settled[at]?.outcome
    if (outcome === undefined || outcome === 'false' || outcome === 'withheld') continue
    const by = ownAppellant(game, work, outcome) ?? (await honestAppellant(game, works, scores, at, 1))
    if (by === null || !(await game.ledger.appeal(round, work.peer.key, by))) continue
    spendGas(game, by, 'appeal')
    game.cases.add({ work, levels: [{ openedRound: round + 3, by, verdicts: [], jury: 0 }] })
    if (work.isSwapped && game.strategy.escapes) await loseRound(game, work)
  }
}

/** Gives up a round that is appealed, by a leaf that only its peer has. */
async function loseRound(game: Game, work: Answers): Promise<void> {
  const [leaf] = work.leaves
  if (leaf !== undefined && (await game.ledger.challengeLeaf(work, leaf))) spendGas(game, work.peer, 'challenge')
}

/** Juries seal, and reveal a round later; verdicts are appealed, and cases closed. */
export async function playCases(game: Game, now: number): Promise<void> {
  for (const open of game.cases) {
    const level = open.levels.at(-1) as OpenCase['levels'][number]
    const age = now - level.openedRound
    if (age === CASE.verdicts) await sealVerdicts(game, open)
    if (age === CASE.reveals) for (const verdict of level.verdicts) await game.ledger.revealVerdict(verdict)
    if (age === CASE.known) await appealAgain(game, open)
    const { round, peer } = open.work
    if (age >= CASE.known && (await game.ledger.closeCase(round, peer.key))) game.cases.delete(open)
  }
}

async function sealVerdicts(game: Game, { work, levels }: OpenCase): Promise<void> {
  const { ledger, facts, strategy } = game
  const { round, peer } = work
  const level = levels.at(-1) as OpenCase['levels'][number]
  const jury = facts.jury(round, peer.key, levels.length, level.openedRound, await ledger.seatsAt(level.openedRound))
  const truth = await truthOf(game, work, true)
  level.jury = jury.length
  for (const [position, key] of jury.entries()) {
    const seat = memberOf(game, key)
    const isSilent = seat.isOwn && strategy.jury === 'silent'
    if (isSilent || !comes(game, seat, level.openedRound)) continue
    // For work that the coalition hides, its seats are paid for reporting that it is unavailable.
    const found = honestScore(game, seat, work, truth, false)
    const seen = seat.isOwn && work.isHidden ? { ...found, scoreMilli: UNAVAILABLE } : found
    const { scoreMilli } = seat.isOwn && strategy.jury === 'pushed' ? pushed(game, work, seen) : seen
    const verdict: Verdict = { round, peerKey: peer.key, level: levels.length, position, seat, scoreMilli }
    spendGas(game, seat, 'verdict')
    // The coalition knows what its own answers are worth.
    const isWork = seen.scoreMilli !== UNAVAILABLE && !work.isSwapped && !(seat.isOwn && peer.isOwn)
    if (isWork) spend(game, seat, SCORE_COST)
    if (await ledger.sealVerdict(verdict)) level.verdicts.push(verdict)
  }
}

async function appealAgain(game: Game, open: OpenCase): Promise<void> {
  const { work, levels } = open
  const [first] = levels
  if (first === undefined || levels.length > 1) return
  const works = game.works.get(work.round) ?? []
  const settled = await Promise.all(works.map(({ peer }) => game.ledger.outcomeOf(work.round, peer.key)))
  const at = works.indexOf(work)
  const stood = settled[at]?.scoreMilli ?? 0
  const cast = first.verdicts.map(({ scoreMilli }) => scoreMilli)
  const scores = settled.map((found, other) =>
    other === at ? appealVerdict(cast, first.jury, stood, missedBy(game, work) > 0) : (found?.scoreMilli ?? 0),
  )
  const isOwn = first.by.isOwn && game.strategy.appealsTwice
  const by = isOwn ? first.by : await honestAppellant(game, works, scores, at, 2)
  if (by === null || !(await game.ledger.appeal(work.round, work.peer.key, by))) return
  spendGas(game, by, 'appeal')
  levels.push({ openedRound: first.openedRound + CASE.known, by, verdicts: [], jury: 0 })
}

function ownAppellant(game: Game, work: Answers, outcome: Outcome): Member | null {
  const { round, peer, isHidden } = work
  const { appealsOwn, appealsRivals } = game.strategy
  const [own] = game.cast.ownKeys
  const share = peer.isOwn ? appealsOwn : appealsRivals
  const isAppealing = isHidden
    ? outcome === 'unavailable' && isHeldUp(game, work)
    : happens(game, share, peer, round, 5_000)
  return isAppealing && own !== undefined ? own : null
}

/** Whether the coalition's votes on unavailable work count while its appeal is open. */
function isHeldUp({ ballots, setting }: Game, { round, peer }: Answers): boolean {
  const votes = (ballots.get(round) ?? []).filter(
    ({ seat, scores }) => seat.isOwn && scores.some(({ peerKey }) => peerKey === peer.key),
  )
  return votes.length >= (setting.defences.heldByShare ? 2 : 1)
}

/** Number of seats of its committee that found nothing to score. */
function missedBy({ ballots }: Game, { round, peer }: Answers): number {
  const scores = (ballots.get(round) ?? []).flatMap(ballot => ballot.scores)
  return scores.filter(({ peerKey, scoreMilli }) => peerKey === peer.key && scoreMilli === UNAVAILABLE).length
}

/** The rival that gains most if the score is put right, where its own score, or all others together, gain more than the appeal costs. */
async function honestAppellant(
  game: Game,
  works: readonly Answers[],
  scores: readonly number[],
  at: number,
  level: 1 | 2,
): Promise<Member | null> {
  const { setting, cast } = game
  const work = works[at] as Answers
  const isReadable = cast.seats.some(seat => !seat.isOwn && work.serves(seat, false))
  const isMissing = setting.defences.nothingTaken && missedBy(game, work) >= FEWEST_MISSED
  if (!setting.defences.honestAppeals || (!isReadable && !isMissing)) return null
  const { scoreMilli } = isReadable ? await truthOf(game, work, true) : { scoreMilli: 0 }
  if (Math.abs(scoreMilli - (scores[at] ?? 0)) <= CLEARLY_MILLI) return null
  const share = (milli: readonly number[], of: number) =>
    (1000 * (milli[of] ?? 0)) /
    Math.max(
      1,
      milli.reduce((sum, one) => sum + one, 0),
    )
  const righted = scores.map((score, other) => (other === at ? scoreMilli : score))
  const changes = works.map((_, of) => share(righted, of) - share(scores, of))
  const gains = works.map(({ peer }, of) => (peer.isOwn ? 0 : (changes[of] ?? 0)))
  const best = gains.indexOf(Math.max(...gains))
  const gain = best === at ? (gains[best] ?? 0) : -(changes[at] ?? 0)
  // Each seat that an appeal overturns pays a quarter of its stake, and at least two seats move a median.
  const compensation = isReadable ? 2 * 25 : 0
  return gain + compensation > (COST[level] ?? 0) ? (works[best]?.peer ?? null) : null
}
