import type { Member } from './cast.ts'
import { type Answer, type Answers, type Game, spendGas } from './game.ts'
import { CAUGHT, owedTasks, placesOf } from './world.ts'

/** Value of a peer's round by the rules, by the indices of the leaves that are scored. */
export interface Truth {
  readonly worth: ReadonlyMap<number, number>
  /** The mean over those that are scored, missing ones included. */
  readonly scoreMilli: number
}

/** Shows false leaves of a round to the chain, as any evaluator does that has them. */
export async function showFaults(game: Game, round: number): Promise<void> {
  const { ledger, facts, cast } = game
  for (const work of game.works.get(round) ?? []) {
    if (work.isSwapped) continue
    const drawnSeed = facts.rolloutSeed(round, work.peer.key)
    const readers = cast.seats.filter(seat => !seat.isOwn && work.serves(seat, true))
    const found = sampledOf(game, work).find(leaf => leaf.seed !== drawnSeed)
    if (found === undefined || readers[0] === undefined) continue
    spendGas(game, readers[0], 'challenge')
    await ledger.challengeLeaf(work, found)
  }
}

/**
 * Findings of an honest evaluator: a leaf that does not answer its task counts 0, and one that was not sampled by the rules costs the round.
 *
 * @param isLate - as of after settlement: where tasks are gossip, draws are others by then.
 */
export async function truthOf(game: Game, work: Answers, isLate = false): Promise<Truth> {
  const { facts, setting } = game
  const { round, peer } = work
  const late = isLate && !setting.defences.tasksOnChain ? (game.late.get(round) ?? []) : []
  const places = await placesOf(facts, round, [...(game.proposals.get(round) ?? []), ...late])
  const owed = owedTasks(facts, round, peer.key, places)
  const perTask = 2
  const sampled = facts.sampled(round, peer.key)
  const checked = work.leaves[facts.checked(round, peer.key)]
  const isCaught =
    setting.defences.samplingChecked &&
    checked?.isSampled === false &&
    facts.uniform('check', peer.number, round, checked.index) < CAUGHT
  const worth = new Map<number, number>()
  for (const index of sampled) {
    const leaf = work.leaves[index]
    if (leaf === undefined) continue
    const isAnswer = owed[Math.floor(index / perTask)]?.text === leaf.answers.text
    const isDrawn = leaf.seed === facts.rolloutSeed(round, peer.key)
    worth.set(index, isAnswer && isDrawn && !isCaught ? leaf.qualityMilli : 0)
  }
  const sum = [...worth.values()].reduce((total, milli) => total + milli, 0)
  return { worth, scoreMilli: Math.round(sum / sampled.length) }
}

function sampledOf({ facts }: Game, { round, peer, leaves }: Answers): Answer[] {
  return facts.sampled(round, peer.key).flatMap(index => leaves[index] ?? [])
}

/** An honest seat that comes in a round. */
export function isPresent({ facts }: Game, seat: Member, round: number, absent: number): boolean {
  return facts.uniform('absence', seat.number, round) >= absent
}
