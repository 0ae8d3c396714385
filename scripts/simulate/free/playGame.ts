import { openCases, playCases } from './appellants.ts'
import { allOf, type Cast, type Member } from './cast.ts'
import type { Setting } from './defences.ts'
import { closeOpenings, drawOpenings, openLeaves, revealBallots, sealBallots } from './evaluators.ts'
import type { Facts } from './facts.ts'
import { type Game, NECTAR_PER_COIN, spend, spendGas } from './game.ts'
import { AFTER, type Ledger } from './ledgers/ledger.ts'
import { playLateProposals, playProposers } from './proposers.ts'
import { playSolvers, SPARE_KEY_COST } from './solvers.ts'
import type { Strategy } from './strategy.ts'
import { showFaults } from './truth.ts'

/** The first round with tasks: secrets are committed two rounds ahead. */
const FIRST = 2

/** Rounds after the last round of work in which something may still be open. */
const TAIL = 10

/** Nectar, over the whole run. */
interface Income {
  /** Gross earnings. */
  readonly pay: number
  /** Earnings less work, gas, slashed stakes and the cost of bonds. */
  readonly net: number
}

export interface Played {
  readonly own: Income
  readonly honest: Income
  /** Balances in wei, by name, to compare model and contracts. */
  readonly wei: ReadonlyMap<string, bigint>
}

/** Plays a run: the rounds of work, and everything that follows from them. */
export async function playGame(
  ledger: Ledger,
  facts: Facts,
  cast: Cast,
  { strategy, setting, rounds }: { strategy: Strategy; setting: Setting; rounds: number },
): Promise<Played> {
  const maps = { proposals: new Map(), late: new Map(), works: new Map(), ballots: new Map(), spent: new Map() }
  const game: Game = {
    ledger,
    facts,
    cast,
    setting,
    strategy,
    ...maps,
    drawn: new Map(),
    cases: new Set(),
    demands: [],
  }
  const last = FIRST + rounds - 1
  const [first] = cast.ownKeys
  if (first !== undefined)
    spend(game, first, Math.max(strategy.spareKeys, strategy.junkKeys + strategy.swappedKeys) * SPARE_KEY_COST)
  for (let now = 0; now <= last + AFTER.closing || (game.cases.size > 0 && now <= last + TAIL); now++) {
    await ledger.enter(now)
    await playProposers(game, now, now >= last)
    if (now > FIRST && now <= last + 1) {
      await showFaults(game, now - 1)
      await sealBallots(game, now - AFTER.votes)
      await demandMissing(game, now - 1, now)
    }
    if (now >= FIRST && now <= last) await playSolvers(game, now)
    await revealBallots(game, now - AFTER.reveals)
    await closeDemands(game, now)
    const settled = now - AFTER.settlement
    if (game.works.has(settled)) {
      await ledger.settle(settled)
      await drawOpenings(game, settled)
      await playLateProposals(game, settled)
      await openCases(game, settled)
    }
    await playCases(game, now)
    await openLeaves(game, now - AFTER.openings)
    await closeOpenings(game, now - AFTER.closing)
  }
  return countUp(game, [...allOf(cast), ...freshKeys(game)])
}

function freshKeys({ works }: Game): Member[] {
  return [...works.values()].flatMap(made => made.filter(({ isFresh }) => isFresh).map(({ peer }) => peer))
}

/** A seat that cannot get a peer's answers demands one on the chain; the peer that shows it is paid its gas. */
async function demandMissing(game: Game, round: number, now: number): Promise<void> {
  const { cast, ledger, facts } = game
  for (const work of game.works.get(round) ?? []) {
    const by = cast.seats.find(seat => !seat.isOwn && !work.serves(seat, true))
    const place = facts.sampled(round, work.peer.key).findIndex(index => index < work.leaves.length)
    const index = facts.sampled(round, work.peer.key)[place]
    if (by === undefined || index === undefined || !(await ledger.demand(work, place, index, by))) continue
    spendGas(game, by, 'demand')
    const demand = { work, index, openedRound: now, isOpen: true }
    game.demands.push(demand)
    if (work.shows && (await ledger.show(work, index))) demand.isOpen = false
  }
}

async function closeDemands({ demands, ledger }: Game, now: number): Promise<void> {
  for (const demand of demands)
    if (demand.isOpen && now === demand.openedRound + 2) await ledger.closeDemand(demand.work, demand.index)
}

async function countUp({ ledger, cast, spent }: Game, members: readonly Member[]): Promise<Played> {
  const wei = new Map<string, bigint>()
  const sums = { own: { pay: 0, net: 0 }, honest: { pay: 0, net: 0 } }
  const accounts = new Set<string>()
  for (const member of members) {
    const { key, account, name } = member
    const sum = member.isOwn ? sums.own : sums.honest
    const earned = await ledger.earnedWei(key)
    wei.set(`${name} earned`, earned)
    sum.pay += toNectar(earned)
    sum.net += toNectar(earned) - (spent.get(member) ?? 0)
    const duty = dutyOf(cast, member)
    if (duty !== null) {
      const lost = await ledger.slashedWei(duty, key)
      wei.set(`${name} lost`, lost)
      sum.net -= toNectar(lost)
    }
    if (accounts.has(account)) continue
    accounts.add(account)
    const compensated = await ledger.compensatedWei(account)
    wei.set(`${name} compensated`, compensated)
    sum.net += toNectar(compensated)
    const bonds = await ledger.bondsWei(account)
    wei.set(`${name} bonds`, bonds)
    sum.net += toNectar(bonds) * NECTAR_PER_COIN
  }
  return { ...sums, wei }
}

function dutyOf({ seats, proposers }: Cast, member: Member): 'evaluator' | 'proposer' | null {
  if (seats.includes(member)) return 'evaluator'
  return proposers.includes(member) ? 'proposer' : null
}

const toNectar = (wei: bigint) => Number(wei) / 1e18
