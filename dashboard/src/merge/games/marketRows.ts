import type { MarketRoles } from '#sources/market/getMarketRoles.ts'
import { bettorGames, bettorScore } from './bettorRecord.ts'

type Owner = MarketRoles['owners'] extends ReadonlyMap<string, infer T> ? T : never

interface Row {
  account: string
  /** A peer of the account; null for people without one. */
  peer: Owner | null
}

export interface JudgeRow extends Row {
  games: number
  /** Games that ended with an answer. */
  answered: number
  /** Games in which its answer stood. */
  stood: number
  /** In games that have not ended. */
  bonded: bigint
  earned: bigint
}

export interface BettorRow extends Row {
  /** Games with a winner. */
  games: number
  staked: bigint
  /** Stakes that came back, and winnings, claimed or not. */
  won: bigint
  /** The part that is not claimed yet. */
  claimable: bigint
  brier: number
  marketBrier: number
}

export const isOver = (status: string) => status === 'resolved' || status === 'void'

type Ended = Pick<MarketRoles['games']['items'][number], 'status' | 'answer' | 'winner' | 'disputer' | 'pot'>

/** Whether a game ended after its Judge had answered. */
export const isAnswered = ({ status, answer }: Pick<Ended, 'status' | 'answer'>) => isOver(status) && answer !== null

/** Whether a Judge's answer stood in the end. A game is void without a verdict against the answer, too: nobody had bet on what is right. */
export const hasStood = ({ status, answer, winner, disputer, pot }: Ended) =>
  status === 'void' ? disputer === null || (pot ?? 0n) === 0n : answer === winner

/** Judges by what losing stakes paid them, most first. */
export function judgeRows({ games, owners }: MarketRoles): JudgeRow[] {
  return [...Map.groupBy(games.items, ({ judge }) => judge)]
    .map(([account, own]) => {
      const answered = own.filter(isAnswered)
      return {
        ...{ account, peer: owners.get(account) ?? null, games: own.length, answered: answered.length },
        stood: answered.filter(hasStood).length,
        bonded: sum(own.filter(({ status }) => !isOver(status)).map(({ bond }) => bond)),
        earned: sum(own.map(({ fee }) => fee)),
      }
    })
    .sort((a, b) => descending(a.earned, b.earned) || b.games - a.games)
}

/** Bettors of games with a winner by what came to them more than they staked, most first. */
export function bettorRows({ gameBets, gameHoldings, heldFrom, owners }: MarketRoles): BettorRow[] {
  const holdings = Map.groupBy(gameHoldings.items, ({ account }) => account)
  return [...Map.groupBy(gameBets.items, ({ account }) => account)]
    .flatMap(([account, bets]) => {
      const games = bettorGames({
        gameBets: { totalCount: bets.length, items: bets },
        gameHoldings: { items: holdings.get(account) ?? [] },
        heldFrom,
      }).filter(({ game }) => game.status === 'resolved')
      const score = bettorScore(games)
      if (score === null) return []
      return {
        ...{ account, peer: owners.get(account) ?? null, ...score },
        staked: sum(games.map(({ staked }) => staked)),
        won: sum(games.map(({ claimed, claimable }) => claimed + claimable)),
        claimable: sum(games.map(one => one.claimable)),
      }
    })
    .sort((a, b) => descending(a.won - a.staked, b.won - b.staked))
}

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, one) => total + one, 0n)
const descending = (a: bigint, b: bigint) => (a < b ? 1 : a > b ? -1 : 0)
