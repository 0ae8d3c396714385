import { challengesAbi as abi } from '@waggle/deployments/abi/challenges'
import { createConfig, custom } from '@wagmi/core'
import { decodeFunctionData, encodeErrorResult, encodeFunctionResult, type Hex, padHex } from 'viem'
import { foundry } from 'viem/chains'
import { expect, test } from 'vitest'
import type { Network } from '#sources/network.ts'
import { readOpenAppeals } from './appealCalls.ts'

const [challenges, peerKey] = [padHex('0xb', { size: 20 }), padHex('0x1')]
const NOW = 12

/** Appeals of round 9 in round 12, or of a verdict on round 6, by what the contract says to an appeal without a bond. */
function appealsOf(round: 6 | 9, refusal?: Hex) {
  const levels = round === 9 ? 0 : 1
  const last = { appellant: challenges, openedRound: 9n, seats: 9, drawn: 5, bondWei: 1n }
  const kept = { levels, isClosed: false, isMoot: false, settledOutcome: 1, settledMilli: 7, finalMilli: 0 }
  const results: Record<string, unknown> = { caseOf: { ...kept, seatPayWei: 0n, last }, appealBond: 40n }
  const request = async ({ method, params = [] }: { method: string; params?: readonly unknown[] }) => {
    if (method !== 'eth_call') return '0x7a69'
    const { functionName } = decodeFunctionData({ abi, data: (params[0] as { data: Hex }).data })
    if (functionName === 'appeal')
      throw Object.assign(new Error('execution reverted'), { code: 3, ...(refusal && { data: refusal }) })
    return encodeFunctionResult({ abi, functionName, result: results[functionName] } as never)
  }
  const transports = { [foundry.id]: custom({ request }, { retryCount: 0 }) }
  const config = createConfig({ chains: [foundry], transports })
  return readOpenAppeals({ config, network: { chainId: foundry.id, challenges } as Network }, peerKey, [round], NOW)
}

const notAppealable = (current: number) =>
  encodeErrorResult({ abi, errorName: 'Challenges_NotAppealable', args: [6n, peerKey, 1, BigInt(current)] })

test('a settled score can be appealed, and a verdict if the contract refuses nothing but the bond', async () => {
  expect(await appealsOf(9)).toEqual([{ round: 9, level: 1, bondWei: 40n }])
  const wrongBond = encodeErrorResult({ abi, errorName: 'Challenges_WrongBond', args: [0n, 40n] })
  expect(await appealsOf(6, wrongBond)).toEqual([{ round: 6, level: 2, bondWei: 40n }])
  expect(await appealsOf(6, notAppealable(NOW))).toEqual([])
})

test('a chain whose last block is of the round before is asked again', async () => {
  await expect(appealsOf(6, notAppealable(NOW - 1))).rejects.toThrow('Challenges_NotAppealable')
})
