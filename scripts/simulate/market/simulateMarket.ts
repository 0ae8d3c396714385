import { type AttackRow, attackRow } from '../earnings.ts'
import { attacks } from './attacks.ts'
import { playGames } from './playGames.ts'

/** Plays every attack on the market, and honest play for comparison, on the market as it is and on a copy without the defence. */
export async function simulateMarket(runs: number, wanted: (name: string) => boolean): Promise<AttackRow[]> {
  const rows: AttackRow[] = []
  for (const { undefended, attack, honest, ...named } of attacks.filter(({ name }) => wanted(name))) {
    const [defended, without] = await oneByOne(['PredictionMarket', undefended] as const, async market => ({
      attack: await playGames(market, runs, attack),
      honest: await playGames(market, runs, honest),
    }))
    if (defended !== undefined && without !== undefined) rows.push(attackRow(named, 'bets', defended, without))
  }
  return rows
}

/** One chain at a time. */
async function oneByOne<T, R>(items: readonly T[], play: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = []
  for (const item of items) done.push(await play(item))
  return done
}
