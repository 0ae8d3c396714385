import { network } from 'hardhat'
import type { Address } from 'viem'
import { openMarket } from './openMarket.ts'

const TOKEN = 10n ** 18n

export interface MarketGas {
  /** Bets in a round already begun, which has more bets than it takes; the first is the first on its choice. */
  readonly bets: readonly number[]
  readonly reveal: number
  readonly claims: readonly number[]
}

/** Plays one game of two rounds on Hardhat's own chain. */
export async function measureMarketGas(): Promise<MarketGas> {
  const market = await openMarket(await network.create())
  const [alice, bob, carol] = market.accounts.slice(1, 4) as [Address, Address, Address]
  for (const account of [market.judge, alice, bob, carol]) await market.fund(account, 1_000n * TOKEN)
  const secrets = { clues: ['a', 'b'], answer: 0, seed: `0x${'5e'.repeat(32)}` as const }
  const game = await market.open(secrets, { choices: 4, freeShares: TOKEN / 10n, minBet: TOKEN / 100n })
  const bet = (account: Address, round: number, choice: number) =>
    market.used(market.market.write.bet([game.gameId, round, choice, 2n * TOKEN], { account }))
  await bet(alice, 0, 0)
  await bet(alice, 0, 1)
  const reveal = await market.revealClue(game, 0)
  const bets = [await bet(bob, 1, 0), await bet(carol, 1, 0), await bet(carol, 1, 0)]
  await market.revealClue(game, 1)
  await market.finish(game)
  const claim = (account: Address) => market.used(market.market.write.claim([game.gameId], { account }))
  return { bets, reveal, claims: [await claim(bob), await claim(carol)] }
}
