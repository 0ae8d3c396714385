import { peerRegistryAbi as abi } from '@waggle/deployments/abi/peerRegistry'
import { createConfig, custom } from '@wagmi/core'
import { decodeFunctionData, encodeFunctionResult, type Hex, numberToHex, padHex } from 'viem'
import { foundry } from 'viem/chains'
import { expect, test } from 'vitest'
import type { Network } from '#sources/network.ts'
import { readOwnPeers } from './readOwnPeers.ts'

const account = padHex('0xa', { size: 20 })
const peerRegistry = padHex('0xb', { size: 20 })

/** The peers that are read of an account with so many, and the calls that it took. */
async function read(count: number) {
  const all = Array.from({ length: count }, (_, at) => padHex(numberToHex(at + 1)))
  const asked: string[] = []
  const request = async ({ params = [] }: { params?: readonly unknown[] }) => {
    const { functionName, args } = decodeFunctionData({ abi, data: (params[0] as { data: Hex }).data })
    asked.push(functionName)
    const [, offset, limit] = args as [string, bigint, bigint]
    const result =
      functionName === 'peersOf' ? all.slice(Number(offset), Number(offset + limit)) : `id of ${Number(args?.[0])}`
    return encodeFunctionResult({ abi, functionName, result } as never)
  }
  const config = createConfig({ chains: [foundry], transports: { [foundry.id]: custom({ request }) } })
  return { all, asked, peers: await readOwnPeers(config, { peerRegistry } as Network, account) }
}

test('every peer of an account is known as its own, and the first ones are listed', async () => {
  const { all, asked, peers } = await read(30)
  expect([...peers.keys]).toEqual(all)
  expect(peers.shown).toHaveLength(24)
  expect(peers.shown[23]).toEqual({ peerKey: all[23], peerId: 'id of 24' })
  expect(asked.filter(name => name === 'peersOf')).toHaveLength(1)
})

test('an account of thousands is read in several calls', async () => {
  expect((await read(2_500)).peers.keys.size).toBe(2_500)
})
