import { RpcRequestError } from 'viem'
import { expect, test } from 'vitest'
import { gamePhases, readGame } from '#chain/games/readGame.ts'
import { marketScene, type SceneGame } from '../../../test/marketScene.ts'
import { gameInTokens } from './listGames.ts'

async function claimableOf(phase: (typeof gamePhases)[number], game: Partial<SceneGame>): Promise<string | null> {
  const { session } = marketScene([{ ...game, phase: gamePhases.indexOf(phase) }])
  const { client, contracts } = session
  const { claimable } = await gameInTokens(session, { decimals: 18 }, await readGame(client, contracts, 0n))
  return claimable
}

test('a game that is due lists what a claim pays, which ends it, and nothing where a claim is refused', async () => {
  expect(await claimableOf('resolution due', { payout: 4 })).toBe('4')
  expect(await claimableOf('resolution due', {})).toBe('0')
})

test('a refused claim is nothing in whatever words of an endpoint, and an outage is an error', async () => {
  const error = { code: -32015, message: 'VM execution error.' }
  const refusal = new RpcRequestError({ body: {}, error, url: 'http://scene' })
  expect(await claimableOf('resolution due', { refusal })).toBe('0')
  const game: SceneGame = { phase: gamePhases.indexOf('resolution due'), refusal }
  const { session } = marketScene([game])
  const read = await readGame(session.client, session.contracts, 0n)
  game.fault = new Error('no connection')
  await expect(gameInTokens(session, { decimals: 18 }, read)).rejects.toThrow('no connection')
})

test('any other game lists what the contract holds for the account', async () => {
  expect(await claimableOf('resolved', { claimable: 3 })).toBe('3')
  expect(await claimableOf('betting', { claimable: 0, payout: 4 })).toBe('0')
})
