import { type RandomStream, randomStream } from '../../../node/model/src/base/random.ts'
import { type MarketName, openArena, type Seeded, TOKEN } from './arena.ts'

export const ROUNDS = 4
const CHOICES = 4

/** How often a bettor is right that has seen so many clues. With all of them it is nearly certain. */
const SKILL = [0.3, 0.45, 0.6, 0.8, 0.97] as const

/** Eight bettors of a token a round; the free shares are a tenth of a first bet. */
const CROWD = 8
const FREE_SHARES = TOKEN / 10n

/** A bettor's view when it may act, and its actions. */
export interface Turn {
  readonly round: number
  /** Its guess with so many clues, of which it has seen `round`. */
  guess(clues: number): number
  /** @returns what the market took. */
  bet(choice: number, stake: bigint): Promise<bigint>
}

/** A way to bet. `late` acts after betting has closed, when the round's clue waits to be mined. */
export interface Strategy {
  readonly when: 'open' | 'late'
  act(turn: Turn): Promise<void>
}

/**
 * Profit of a strategy in each game, in tokens: its payouts less its bets.
 *
 * The crowd's guesses depend on the seed alone, so that two strategies meet the same crowds.
 */
export async function playGames(name: MarketName, games: number, strategy: Strategy): Promise<number[]> {
  const arena = await openArena(name, ROUNDS, CHOICES, FREE_SHARES)
  const { crowd, attacker } = arena.accounts
  const seeds = Array.from({ length: games }, (_, game) => seededGame(game))
  const crowds = seeds.map((_, game) => randomStream('market crowd', String(game)))
  const own = seeds.map((_, game) => randomStream('market attacker', String(game)))
  const spent = seeds.map(() => 0n)
  await arena.openGames(seeds)
  for (let round = 0; round < ROUNDS; round++) {
    const turns = seeds.map(({ answer }, game) => ({
      round,
      guess: (clues: number) => guess(own[game] as RandomStream, answer, SKILL[clues] ?? 0),
      bet: async (choice: number, stake: bigint) => {
        const taken = await arena.bet(attacker, game, round, choice, stake)
        spent[game] = (spent[game] ?? 0n) + taken
        return taken
      },
    }))
    await arena.enterRound(round)
    for (const [game, { answer }] of seeds.entries()) {
      const votes = Array.from({ length: CROWD }, () => guess(crowds[game] as RandomStream, answer, SKILL[round] ?? 0))
      for (let choice = 0; choice < CHOICES; choice++) {
        const backers = BigInt(votes.filter(vote => vote === choice).length)
        if (backers > 0n) await arena.bet(crowd, game, round, choice, backers * TOKEN)
      }
    }
    if (strategy.when === 'open') for (const turn of turns) await strategy.act(turn)
    await arena.closeRound(round)
    if (strategy.when === 'late') for (const turn of turns) await strategy.act(turn)
    for (const game of seeds.keys()) await arena.revealClue(game, round)
  }
  for (const [game, { answer }] of seeds.entries()) await arena.proveAnswer(game, answer)
  await arena.endDisputes()
  const earned: number[] = []
  for (const game of seeds.keys()) {
    const paid = await arena.collect(game, attacker)
    earned.push(Number(paid - (spent[game] ?? 0n)) / Number(TOKEN))
  }
  return earned
}

function seededGame(game: number): Seeded {
  const answer = randomStream('market answer', String(game)).integer(CHOICES)
  return { answer, seed: `0x${game.toString(16).padStart(64, '0')}` }
}

/** The answer with the given chance, else one of the others. */
function guess(random: RandomStream, answer: number, skill: number): number {
  if (random.uniform() < skill) return answer
  return (answer + 1 + random.integer(CHOICES - 1)) % CHOICES
}
