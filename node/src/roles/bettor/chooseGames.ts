import { callChain } from '#chain/callChain.ts'
import { type GamePhase, gamePhases, readGameCount } from '#chain/games/readGame.ts'
import type { MarketSession } from '../games/marketSession.ts'
import { isLongGame } from '../games/playedGame.ts'

/** Newest games among which those to bet on are looked for. */
const SEARCHED_GAMES = 64n
const CHOSEN_GAMES = 8

const takesBets: ReadonlySet<GamePhase> = new Set(['waiting', 'betting', 'awaiting clue'])

/** Finds games to bet on, in rounds of the swarm that last so long. */
export type GameChooser = (roundSec: number) => Promise<bigint[]>

/**
 * The games that take bets with the largest bonds. A game costs nothing but its gas and its bond, so that a flood of small ones hides none that is
 * worth a bet, and texts are read of a few games only, and of no long ones.
 */
export function createGameChooser({ client, contracts }: Pick<MarketSession, 'client' | 'contracts'>): GameChooser {
  const over = new Set<bigint>()

  async function find(gameId: bigint, roundSec: number) {
    const call = { ...contracts.predictionMarket, functionName: 'gameOf', args: [gameId] } as const
    const { phase, config } = await callChain(client.rpcUrl, () => client.rpc.readContract(call))
    if (takesBets.has(gamePhases[phase] ?? 'unknown') && !isLongGame(config, roundSec))
      return [{ gameId, bond: config.bond }]
    over.add(gameId)
    return []
  }

  return async roundSec => {
    const count = await readGameCount(client, contracts)
    const first = count > SEARCHED_GAMES ? count - SEARCHED_GAMES : 0n
    for (const gameId of over) if (gameId < first) over.delete(gameId)
    const newest = Array.from({ length: Number(count - first) }, (_, at) => count - 1n - BigInt(at))
    // One that cannot be read now may be read with the next poll.
    const asked = newest.filter(gameId => !over.has(gameId)).map(gameId => find(gameId, roundSec).catch(() => []))
    const found = (await Promise.all(asked)).flat()
    return found
      .sort((a, b) => Number(b.bond - a.bond))
      .slice(0, CHOSEN_GAMES)
      .map(({ gameId }) => gameId)
  }
}
