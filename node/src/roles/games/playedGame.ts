import { z } from 'zod'
import { callChain } from '#chain/callChain.ts'
import { type Game, type GamePhase, gamePhases, readGame } from '#chain/games/readGame.ts'
import { readGameTexts } from '#chain/games/readGameTexts.ts'
import type { EnvironmentHash, Seed } from '#core/hashes.ts'
import type { Environment } from '#environments/environment.ts'
import type { AskedQuestion, GameQuestion, Games } from '#environments/games.ts'
import type { MarketSession } from './marketSession.ts'

/** The rules that questions are drawn by. */
export type GameRules = { readonly games: Games; readonly hash: EnvironmentHash }

/** A game whose question is of this environment, with the clues that are revealed. */
export type PlayedGame = { game: Game; asked: AskedQuestion; clues: readonly string[] }

export const rulesOfGames = ({ games, hash }: Environment): GameRules | null => (games ? { games, hash } : null)

/** Description of a game by a Judge that runs this code; others may write anything. */
const detailsSchema = z.object({
  question: z.string().min(1).max(500),
  choices: z.array(z.string().min(1).max(500)).min(2).max(16),
  environment: z.string(),
})

/** The last clue ends with the seed of the question, so that everybody can draw it again. */
const SEED = /\nseed (0x[0-9a-f]{64})$/

/** The clues of a question as they go on the chain. */
export function cluesWithSeed({ clues }: GameQuestion, seed: Seed): string[] {
  return clues.map((clue, at) => (at < clues.length - 1 ? clue : `${clue}\nseed ${seed}`))
}

/** Limit in rounds of the swarm: the longest game that a Judge of this code opens takes 49. */
const LONGEST_ROUNDS = 100
const DAY_SEC = 86_400

/**
 * Whether a game is too long to read: its texts take as many requests as it has blocks.
 *
 * @param roundSec - of the swarm.
 * @param afterSec - seconds after its rounds that count as well.
 */
export function isLongGame(
  { roundCount, bettingSec, revealSec }: Pick<Game, 'roundCount' | 'bettingSec' | 'revealSec'>,
  roundSec: number,
  afterSec = 0,
): boolean {
  return roundCount * (bettingSec + revealSec) + afterSec > Math.max(DAY_SEC, LONGEST_ROUNDS * roundSec)
}

/**
 * @returns `foreign` for a game of another environment, or with texts that this node does not understand; `incomplete` if the endpoint's events do not
 * have all revealed clues yet: without them, a true answer would be judged false.
 */
export async function readPlayedGame(
  { client, contracts }: Pick<MarketSession, 'client' | 'contracts'>,
  rules: GameRules,
  gameId: bigint,
): Promise<PlayedGame | 'foreign' | 'incomplete'> {
  const game = await readGame(client, contracts, gameId)
  const texts = await readGameTexts(client, contracts, game)
  const details = detailsSchema.safeParse(texts && jsonOrNull(texts.details))
  if (texts === null || !details.success || details.data.environment !== rules.hash) return 'foreign'
  if (details.data.choices.length !== game.choices.length) return 'foreign'
  const clues = texts.clues.slice(0, game.cluesRevealed)
  // A hole in the array is `undefined` to includes().
  if (clues.length < game.cluesRevealed || clues.includes(undefined as unknown as string)) return 'incomplete'
  return { game, asked: details.data, clues }
}

/**
 * The right choice of a game whose last clue is revealed: its question is drawn again from the seed there.
 *
 * @returns the number of choices if no choice is right: the seed does not match the question or these clues.
 */
export function truthOf({ games }: GameRules, { asked, clues }: Pick<PlayedGame, 'asked' | 'clues'>): number {
  const none = asked.choices.length
  const seed = SEED.exec(clues.at(-1) ?? '')?.[1] as Seed | undefined
  if (seed === undefined) return none
  const drawn = games.draw(seed)
  const isSame =
    drawn.question === asked.question &&
    isSameList(drawn.choices, asked.choices) &&
    isSameList(cluesWithSeed(drawn, seed), clues)
  return isSame ? drawn.answer : none
}

export async function readPhase(
  { client, contracts }: Pick<MarketSession, 'client' | 'contracts'>,
  gameId: bigint,
): Promise<GamePhase> {
  const call = { ...contracts.predictionMarket, functionName: 'phaseOf', args: [gameId] } as const
  return gamePhases[await callChain(client.rpcUrl, () => client.rpc.readContract(call))] ?? 'unknown'
}

/** Compares element by element: a Judge's texts may contain any separator. */
const isSameList = (own: readonly string[], told: readonly string[]): boolean =>
  own.length === told.length && own.every((text, at) => text === told[at])

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
