import { formatUnits } from 'viem'
import { readMarketToken } from '#chain/games/marketToken.ts'
import { type GamePhase, readClaimable, readGame, readGameCount, readMarketCredit } from '#chain/games/readGame.ts'
import type { ReadSession } from '#roles/readSession.ts'

/** Phases that a round with bets can follow. */
const priced: ReadonlySet<GamePhase> = new Set(['waiting', 'betting'])

/**
 * Every game, newest first, in whole tokens, with what the account could claim of it; and what the account is owed. Both are null
 * where no account is known.
 *
 * A price is that of the round that takes bets, or takes them next: tokens for a share, 1 in the first round. Once no bet can
 * come it is null.
 */
export async function listGames({ client, contracts, account }: ReadSession) {
  const [{ decimals, symbol }, count, credit] = await Promise.all([
    readMarketToken(client, contracts),
    readGameCount(client, contracts),
    account && readMarketCredit(client, contracts, account),
  ])
  const units = (amount: bigint) => formatUnits(amount, decimals)
  const games = []
  for (let gameId = count - 1n; gameId >= 0n; gameId--) {
    const { minBet, bond, totalStake, choices, ...game } = await readGame(client, contracts, gameId)
    const shown = choices.map(({ stake, price }) => ({
      stake: units(stake),
      price: priced.has(game.phase) ? formatUnits(price, 18) : null,
    }))
    const claimable = account && units(await readClaimable(client, contracts, gameId, account))
    const amounts = { minBet: units(minBet), bond: units(bond), totalStake: units(totalStake), claimable }
    games.push({ ...game, ...amounts, gameId: String(gameId), choices: shown })
  }
  return { token: symbol, owed: credit === null ? null : units(credit), games }
}
