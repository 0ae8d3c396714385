import { formatUnits } from 'viem'
import { readMarketToken } from '#chain/games/marketToken.ts'
import {
  type Game,
  type GamePhase,
  readGame,
  readGameCount,
  readMarketCredit,
  readPayout,
} from '#chain/games/readGame.ts'
import type { ReadSession } from '#roles/readSession.ts'

/** Phases that a round with bets can follow. */
const priced: ReadonlySet<GamePhase> = new Set(['waiting', 'betting'])

/** Every game, newest first, with what the account could claim of it; and what the account is owed. Both are null if no account is known. */
export async function listGames(session: ReadSession) {
  const { client, contracts, account } = session
  const [token, count, credit, { timeSec }] = await Promise.all([
    readMarketToken(client, contracts),
    readGameCount(client, contracts),
    account && readMarketCredit(client, contracts, account),
    client.heads.read(),
  ])
  const games: GameInTokens[] = []
  for (let gameId = count - 1n; gameId >= 0n; gameId--)
    games.push(await gameInTokens(session, token, await readGame(client, contracts, gameId)))
  const owed = credit === null ? null : formatUnits(credit, token.decimals)
  return { token: token.symbol, chainTimeSec: timeSec, owed, games }
}

export type ListedGames = Awaited<ReturnType<typeof listGames>>
export type GameInTokens = Awaited<ReturnType<typeof gameInTokens>>

/**
 * A game in whole tokens, with what the account could claim of it.
 *
 * A price is that of the round that takes bets now or next, in tokens per share: 1 in the first round. It is null once no further bet is
 * possible.
 */
export async function gameInTokens(
  { client, contracts, account }: ReadSession,
  { decimals }: { decimals: number },
  of: Game,
) {
  const { gameId, minBet, bond, totalStake, choices, ...game } = of
  const units = (amount: bigint) => formatUnits(amount, decimals)
  const shown = choices.map(({ stake, price }) => ({
    stake: units(stake),
    price: priced.has(game.phase) ? formatUnits(price, 18) : null,
  }))
  const claimable = account && units(await readPayout(client, contracts, of, account))
  const amounts = { minBet: units(minBet), bond: units(bond), totalStake: units(totalStake), claimable }
  return { gameId: String(gameId), ...game, ...amounts, choices: shown }
}
