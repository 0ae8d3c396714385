import { attacks } from './attacks.ts'
import { playGames } from './playGames.ts'

export interface Earnings {
  mean: number
  /** Standard error of the mean. */
  error: number
}

export interface AttackRow {
  attack: string
  defence: string
  earned: Earnings
  honest: Earnings
  undefended: Earnings
}

/** Plays every attack on the market, honest play in its place, and the attack on a market without its defence. */
export async function simulateMarket(games: number): Promise<AttackRow[]> {
  const rows: AttackRow[] = []
  for (const { name, defence, undefended, attack, honest } of attacks) {
    rows.push({
      attack: name,
      defence,
      earned: summarise(await playGames('PredictionMarket', games, attack)),
      honest: summarise(await playGames('PredictionMarket', games, honest)),
      undefended: summarise(await playGames(undefended, games, attack)),
    })
  }
  return rows
}

function summarise(earned: readonly number[]): Earnings {
  const mean = earned.reduce((sum, one) => sum + one, 0) / earned.length
  const variance = earned.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(1, earned.length - 1)
  return { mean, error: Math.sqrt(variance / earned.length) }
}
