import * as abis from '@waggle/deployments/abi'
import { type ContractName, contractNames, eachContract } from '@waggle/deployments/contractNames'
import type { Deployment } from '@waggle/deployments/record'
import { type Abi, encodeFunctionData, type Hex, numberToHex, RpcRequestError } from 'viem'
import { expect, test } from 'vitest'
import { systemClock } from '#core/clock.ts'
import { ContractMissingError, WrongContractError } from '../chainErrors.ts'
import { contractAbis } from '../contracts.ts'
import type { RpcCall } from './answers.ts'
import type { Endpoint } from './endpoint.ts'
import { questions, requireContracts } from './requireContracts.ts'

const NEWEST = 100
const contracts = eachContract((_, at) => ({ address: numberToHex(at + 1, { size: 20 }), startBlock: NEWEST }))
const clock = { ...systemClock, sleep: async () => undefined }
const nameAt = (address: unknown) => contractNames.find(name => contracts[name].address === address)

/** An endpoint of a chain with these contracts. */
const endpointWith = (name: string, has: readonly ContractName[] = contractNames): Endpoint => ({
  origin: `https://${name}.example`,
  async ask({ method, params }: RpcCall) {
    if (method === 'eth_blockNumber') return numberToHex(NEWEST)
    const [asked] = params as [{ to: Hex; data: Hex } | Hex]
    const at = nameAt(typeof asked === 'string' ? asked : asked.to)
    const isThere = at !== undefined && has.includes(at)
    if (typeof asked === 'string') return isThere ? '0x60' : '0x'
    if (isThere && asked.data === encodeFunctionData({ abi: contractAbis[at] as Abi, functionName: questions[at] }))
      return `0x${'00'.repeat(64)}`
    throw reverted()
  },
})

const reverted = () =>
  new RpcRequestError({
    ...{ body: {}, url: 'https://node.example' },
    error: { code: 3, message: 'execution reverted', data: '0x' },
  })

/** The endpoint, which says of so many of its first calls that they revert. */
function lying(endpoint: Endpoint, lies: number): Endpoint {
  return {
    ...endpoint,
    async ask(call) {
      if (call.method === 'eth_call' && lies-- > 0) throw reverted()
      return endpoint.ask(call)
    },
  }
}

const required = (endpoints: Endpoint[], record: Deployment['contracts'] = contracts) =>
  requireContracts(endpoints, { contracts: record }, clock)

test('an endpoint without the contracts gives way to one that has them', async () => {
  const [lagging, good, more] = [endpointWith('lagging', []), endpointWith('good'), endpointWith('more')]
  expect(await required([lagging, good, more])).toEqual([good, lagging, more])
  expect(await required([good, lagging])).toEqual([good, lagging])
  await expect(required([lagging, lagging])).rejects.toThrow(ContractMissingError)
  await expect(required([lagging])).rejects.toThrow('on the chain at https://lagging.example')
})

test('addresses that are mixed up are named, with what to do', async () => {
  const { Rounds, PeerRegistry } = contracts
  const swapped = required([endpointWith('good')], { ...contracts, Rounds: PeerRegistry, PeerRegistry: Rounds })
  await expect(swapped).rejects.toThrow(WrongContractError)
  await expect(swapped).rejects.toMatchObject({
    message: `On the chain at https://good.example, these addresses hold other contracts: Rounds (${PeerRegistry.address}), PeerRegistry (${Rounds.address}).`,
    hint: expect.stringContaining('take the record of this deployment'),
  })
})

test('an endpoint that says once of each contract that it reverts does not make the record wrong', async () => {
  const once = lying(endpointWith('odd'), contractNames.length)
  expect(await required([once])).toEqual([once])
})

test('the second endpoint is asked about what the first one always says', async () => {
  const [liar, good] = [lying(endpointWith('liar'), Number.POSITIVE_INFINITY), endpointWith('good')]
  expect(await required([liar, good])).toContain(good)
  await expect(required([liar])).rejects.toThrow(WrongContractError)
})

test('a contract of a block that the chain has not reached is missing', async () => {
  const Stakes = { ...contracts.Stakes, startBlock: NEWEST + 1 }
  const early = required([endpointWith('good')], { ...contracts, Stakes })
  await expect(early).rejects.toThrow(ContractMissingError)
  await expect(early).rejects.toThrow(
    'By the record, Stakes was deployed in block 101; the newest block of the chain at https://good.example is 100.',
  )
})

test('no contract answers what another one is asked', () => {
  const abisWith = (name: string) =>
    Object.values<Abi>(abis).filter(abi => abi.some(item => item.type === 'function' && item.name === name))
  for (const name of contractNames) expect(abisWith(questions[name]), name).toEqual([contractAbis[name]])
})
