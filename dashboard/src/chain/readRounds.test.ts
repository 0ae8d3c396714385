import { roundsAbi } from '@waggle/deployments/abi/rounds'
import { getAbiItem, toFunctionSelector } from 'viem'
import { afterEach, expect, test, vi } from 'vitest'
import { readBlockSec, readRounds, selectors } from './readRounds.ts'

const ROUNDS = '0x5fbdb2315678afecb367f032d93f642f64180aa3'

afterEach(() => vi.unstubAllGlobals())

/** An endpoint that answers every question the same; returns what it was asked. */
function endpoint(answer: unknown): { params: unknown[] }[] {
  const asked: { params: unknown[] }[] = []
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    asked.push(JSON.parse(body))
    return Response.json(answer)
  })
  return asked
}

test('the selectors are those of the contract', () => {
  for (const name of Object.keys(selectors) as (keyof typeof selectors)[])
    expect(toFunctionSelector(getAbiItem({ abi: roundsAbi, name })), name).toBe(selectors[name])
})

test('a round is asked for as a word of 32 bytes, and a number is read', async () => {
  const asked = endpoint({ result: `0x${(77).toString(16).padStart(64, '0')}` })
  expect(await readRounds(ROUNDS, 'startOf', 300)).toBe(77)
  const data = `${selectors.startOf}${'12c'.padStart(64, '0')}`
  expect(asked[0]?.params).toEqual([{ to: ROUNDS, data }, 'latest'])
})

test('no contract, a refusal by the contract and a refusal by the endpoint are told apart', async () => {
  endpoint({ result: '0x' })
  expect(await readRounds(ROUNDS, 'currentRound')).toBe('noContract')
  for (const error of [{ code: 3 }, { code: -32_000, message: 'execution reverted' }]) {
    endpoint({ error })
    expect(await readRounds(ROUNDS, 'currentRound')).toBe('reverted')
  }
  endpoint({ error: { code: -32_005, message: 'limit exceeded' } })
  await expect(readRounds(ROUNDS, 'currentRound')).rejects.toThrow('refused')
  for (const answer of [{ result: null }, { result: { timestamp: 'soon' } }, {}]) {
    endpoint(answer)
    await expect(readBlockSec()).rejects.toThrow('no number')
  }
})
