import { expect, test } from 'vitest'
import { ChainUnreachableError } from '#chain/chainErrors.ts'
import { gamePhases, readGame } from '#chain/games/readGame.ts'
import { marketScene, refusalIn, type SceneGame } from '../../../test/marketScene.ts'
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

test('a refused claim is nothing in whatever words of an endpoint, and one that gets no answer is an error', async () => {
  const due = (refusal: Error) => claimableOf('resolution due', { refusal })
  expect(await due(refusalIn('VM execution error.', -32015))).toBe('0')
  // Even where every other read succeeds, as of an endpoint that is too slow for this one call.
  const outage = new ChainUnreachableError('no answer within 10 s', { hint: 'Wait.', retryable: true })
  await expect(due(outage)).rejects.toThrow(outage)
})

test('any other game lists what the contract holds for the account', async () => {
  expect(await claimableOf('resolved', { claimable: 3 })).toBe('3')
  expect(await claimableOf('betting', { claimable: 0, payout: 4 })).toBe('0')
})
