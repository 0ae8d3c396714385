import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rewardVotesAbi } from '@waggle/deployments/abi/rewardVotes'
import { decodeFunctionData, encodeErrorResult, encodeFunctionResult, type Hex, numberToHex } from 'viem'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { deploymentRecord } from '../../test/fixtures/servers.ts'
import { getCommittee } from './getCommittee.ts'

const keys = [7, 3].map(seat => numberToHex(seat, { size: 32 }))
const folder = mkdtempSync(join(tmpdir(), 'waggle-committee-'))

beforeEach(() => {
  writeFileSync(join(folder, 'deployment.json'), JSON.stringify(deploymentRecord))
  vi.stubEnv('WAGGLE_DEPLOYMENT', join(folder, 'deployment.json'))
  vi.stubEnv('WAGGLE_RPC_URL', 'http://127.0.0.1:1/key')
})

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the contract says who was drawn, at the endpoint that answers', async () => {
  vi.stubEnv('WAGGLE_RPC_URL', 'http://127.0.0.1:1/key,http://127.0.0.1:2/other')
  vi.stubGlobal('fetch', async (url: URL, { body }: { body: string }) => {
    if (url.href !== 'http://127.0.0.1:2/other') throw new TypeError(`${url} does not answer`)
    const [{ to, data }] = JSON.parse(body).params as [{ to: string; data: Hex }]
    expect(to.toLowerCase()).toBe(deploymentRecord.contracts.RewardVotes.address)
    expect(decodeFunctionData({ abi: rewardVotesAbi, data })).toEqual({ functionName: 'committeeOf', args: [39n, 2] })
    const result = encodeFunctionResult({ abi: rewardVotesAbi, functionName: 'committeeOf', result: keys })
    return Response.json({ jsonrpc: '2.0', id: 1, result })
  })
  expect(await getCommittee(39, 2)).toEqual(keys)
})

test('a contract that no longer knows the seats of a round is not one that does not answer', async () => {
  const data = encodeErrorResult({ abi: rewardVotesAbi, errorName: 'RoundHistory_Forgotten', args: [39n, 60n] })
  const error = { code: 3, message: 'execution reverted', data }
  vi.stubGlobal('fetch', async () => Response.json({ jsonrpc: '2.0', id: 1, error }))
  expect(await getCommittee(39, 2)).toBe('forgotten')
})

test.each([
  { jsonrpc: '2.0', id: 1, error: { code: 3, message: 'execution reverted' } },
  { jsonrpc: '2.0', id: 1, result: '0x' },
])('no seat is named if the chain does not say who was drawn: %j', async answer => {
  const said = vi.spyOn(console, 'error').mockReturnValue()
  vi.stubGlobal('fetch', async () => Response.json(answer))
  expect(await getCommittee(39, 2)).toBeNull()
  expect(said.mock.calls.join()).not.toContain('/key')
})
