import { concatHex, type Hex, keccak256, numberToHex, sha256, stringToBytes } from 'viem'
import type { AdmittedTask } from '../../../node/src/roles/draws/drawTasks.ts'
import { type Member, SIZES } from './cast.ts'
import { SPEC } from './facts.ts'
import {
  type Answer,
  type Answers,
  GAS,
  type Game,
  happens,
  NECTAR_PER_MEGAGAS,
  type Places,
  spend,
  spendGas,
} from './game.ts'
import { lateTexts } from './proposers.ts'
import { easinessOf, LEAF_COST, owedTasks, placesOf, qualityOf } from './world.ts'

/** All answer and commit: rivals first, so that the coalition sees their commitments. */
export async function playSolvers(game: Game, round: number): Promise<void> {
  const { cast, works } = game
  const places = await placesOf(game.facts, round, game.proposals.get(round) ?? [])
  const made: Answers[] = []
  works.set(round, made)
  for (const peer of cast.rivals) await commit(game, made, honestWork(game, round, peer, places))
  const own = await ownWorks(game, round, places, made)
  for (const work of own) await commit(game, made, work)
}

async function commit(game: Game, made: Answers[], work: Answers): Promise<void> {
  if (work.leaves.length === 0) return
  spendGas(game, work.peer, 'commit')
  if (await game.ledger.commit(work)) made.push(work)
}

function honestWork(game: Game, round: number, peer: Member, places: Places): Answers {
  const owed = owedTasks(game.facts, round, peer.key, places)
  const leaves = leavesOf(owed).map((task, index) => answer(game, peer, round, index, task, 0))
  spend(game, peer, leaves.length * LEAF_COST)
  return { round, peer, leaves, isFresh: false, serves: () => true, shows: true, isHidden: false, isSwapped: false }
}

async function ownWorks(game: Game, round: number, places: Places, seen: readonly Answers[]): Promise<Answers[]> {
  const { facts, cast, strategy } = game
  // A proposer that shows its tasks late answers those that will be drawn by then.
  const late = cast.proposers.find(({ isOwn }) => isOwn) as Member
  const added = strategy.proposes === 'late' ? [{ proposer: late, texts: lateTexts(round, late) }] : []
  const answered =
    added.length === 0 || game.setting.defences.tasksOnChain
      ? places
      : await placesOf(facts, round, [...(game.proposals.get(round) ?? []), ...added])
  const owedOf = ({ key }: Member) => owedTasks(facts, round, key, answered)
  const works: Answers[] = []
  for (const peer of chosenKeys(game, round, owedOf)) {
    const owed = owedOf(peer)
    if (ease(owed) < strategy.skipBelowMilli && !peer.name.includes('fresh')) continue
    works.push(ownWork(game, round, peer, owed, [...seen, ...works]))
  }
  const idle = cast.ownKeys.filter(peer => !works.some(work => work.peer.key === peer.key))
  const hidden = strategy.hidesZeros ? heldKeys(game).filter(peer => idle.includes(peer)) : []
  const others = idle.filter(peer => !hidden.includes(peer))
  const empty = [...hidden, ...others.slice(0, strategy.junkKeys)]
  const swapped = others.slice(strategy.junkKeys).slice(0, strategy.swappedKeys)
  return [
    ...works,
    ...empty.map(peer => junkWork(game, round, peer, owedOf(peer), hidden.includes(peer))),
    ...swapped.map(peer => swappedWork(game, round, peer, owedOf(peer))),
  ]
}

function junkWork(game: Game, round: number, peer: Member, owed: readonly AdmittedTask[], isHidden: boolean): Answers {
  const leaves = leavesOf(owed).map((task, index) => ({
    ...answer(game, peer, round, index, task, 0),
    qualityMilli: 0,
    isSampled: false,
  }))
  return {
    round,
    peer,
    leaves,
    isFresh: false,
    serves: seat => seat.isOwn,
    shows: game.strategy.shows,
    isHidden,
    isSwapped: false,
  }
}

/** Leaves of a seed that was not drawn, behind other bytes. */
function swappedWork(game: Game, round: number, peer: Member, owed: readonly AdmittedTask[]): Answers {
  const seed = keccak256(stringToBytes(`swapped ${round}`))
  const work = junkWork(game, round, peer, owed, false)
  return { ...work, leaves: work.leaves.map(leaf => ({ ...leaf, seed })), serves: () => true, isSwapped: true }
}

/** The keys that work: those that there are machines for, the luckiest of those held, or new ones made for this round. */
function chosenKeys(game: Game, round: number, owedOf: (peer: Member) => readonly AdmittedTask[]): Member[] {
  const { cast, strategy } = game
  const byLuck = (keys: readonly Member[]) => [...keys].sort((a, b) => ease(owedOf(b)) - ease(owedOf(a)))
  if (strategy.groundKeys > 0) {
    return cast.ownKeys.slice(0, SIZES.machines).map((owner, at) => {
      const tried = Array.from({ length: strategy.groundKeys }, (_, attempt) => freshKey(owner, round, at, attempt))
      spendGas(game, owner, 'register')
      return byLuck(tried)[0] as Member
    })
  }
  const held = heldKeys(game)
  return (strategy.spareKeys === 0 ? held : byLuck(held)).slice(0, SIZES.machines)
}

function heldKeys({ cast, strategy }: Game): Member[] {
  return cast.ownKeys.slice(0, SIZES.machines + strategy.spareKeys)
}

function freshKey(owner: Member, round: number, at: number, attempt: number): Member {
  const name = `own fresh ${round} ${at} ${attempt}`
  return { ...owner, name, key: keccak256(stringToBytes(name)) }
}

function ownWork(
  game: Game,
  round: number,
  peer: Member,
  owed: readonly AdmittedTask[],
  seen: readonly Answers[],
): Answers {
  const { strategy } = game
  const tasks = leavesOf(owed)
  const leaves = tasks.slice(0, Math.round(strategy.leafShare * tasks.length)).map((task, index) => {
    if (!happens(game, strategy.cheatShare, peer, round, index)) {
      spend(game, peer, LEAF_COST)
      return answer(game, peer, round, index, task, 0)
    }
    return cheat(game, peer, round, index, task, seen)
  })
  const { served, servesLate } = strategy
  const serves: Answers['serves'] = (seat, isVoting) => {
    const isLeftOut = !seat.isOwn && !happens(game, served, seat, round, 1_000 + peer.number)
    return !isLeftOut || (servesLate && !isVoting)
  }
  return {
    round,
    peer,
    leaves,
    isFresh: peer.name.includes('fresh'),
    serves,
    shows: strategy.shows,
    isHidden: false,
    isSwapped: false,
  }
}

function cheat(
  game: Game,
  peer: Member,
  round: number,
  index: number,
  task: AdmittedTask,
  seen: readonly Answers[],
): Answer {
  const { strategy } = game
  const made = answer(game, peer, round, index, task, 0)
  const seed = strategy.ownSeed ? keccak256(stringToBytes(`seed ${round} ${index}`)) : made.seed
  if (strategy.cheat === 'best') {
    spend(game, peer, strategy.tries * LEAF_COST)
    const tried = Array.from({ length: strategy.tries }, (_, attempt) =>
      answer(game, peer, round, index, task, attempt),
    )
    const best = tried.reduce((a, b) => (b.qualityMilli > a.qualityMilli ? b : a))
    return best.isSampled ? best : { ...best, seed }
  }
  if (strategy.cheat === 'junk') return { ...made, seed, qualityMilli: 0, isSampled: false }
  // Unsealed work of others can be read before the round has ended; the coalition always reads its own.
  const read = seen.filter(({ peer: author }) => author.isOwn || !game.setting.defences.sealedAnswers)
  const known = read.flatMap(({ leaves }) => leaves).filter(leaf => leaf.answers.text === task.text)
  const qualityMilli = known.reduce((best, leaf) => Math.max(best, leaf.qualityMilli), 0)
  return { ...made, seed, qualityMilli, isSampled: false }
}

function answer(game: Game, peer: Member, round: number, index: number, task: AdmittedTask, attempt: number): Answer {
  const { facts } = game
  return {
    index,
    task: task.ref,
    answers: task,
    seed: facts.rolloutSeed(round, peer.key),
    ...bodyOf(peer.key, index, attempt),
    qualityMilli: qualityOf(facts, peer, round, { index, attempt }, task),
    isSampled: attempt === 0,
  }
}

const madeBodies = new Map<string, { body: Hex; bodyHash: Hex }>()

function bodyOf(key: Hex, index: number, attempt: number): { body: Hex; bodyHash: Hex } {
  const name = `${key} ${index} ${attempt}`
  const known = madeBodies.get(name)
  if (known !== undefined) return known
  const body = concatHex([key, numberToHex(index, { size: 4 }), numberToHex(attempt, { size: 4 })])
  const made = { body, bodyHash: sha256(body) }
  madeBodies.set(name, made)
  return made
}

/** A task for each leaf owed. */
function leavesOf(owed: readonly AdmittedTask[]): AdmittedTask[] {
  return owed.flatMap(task => Array.from({ length: SPEC.groupSize }, () => task))
}

function ease(owed: readonly AdmittedTask[]): number {
  return owed.reduce((sum, task) => sum + easinessOf(task), 0) / Math.max(1, owed.length)
}

/** Cost of spare keys in a run: their registration. */
export const SPARE_KEY_COST = (GAS.register / 1e6) * NECTAR_PER_MEGAGAS
