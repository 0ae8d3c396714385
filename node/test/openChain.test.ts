import type { Deployment } from '@waggle/deployments/record'
import { decodeFunctionData } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { type Chain, runChain } from '#chain/openChain.ts'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { createOutboxTable } from '#store/outboxTable.ts'
import { createFakeChain } from './fakeChain.ts'

const NOW_SEC = 200_000
const TO = '0x00000000000000000000000000000000000000bb'
const KEY = `0x${'11'.repeat(32)}` as const
const call = (key: string, data: `0x${string}`) => ({ key, to: TO, data, fromRound: null, throughRound: null }) as const

/** A chain of one unregistered peer, over a fake one that mines a block for each wait. */
async function peerOn(fake = createFakeChain()) {
  fake.mine()
  const head = async () => ({ number: (await fake.head()).block, timeSec: NOW_SEC, atMs: 0 })
  const answers: Record<string, unknown> = {
    ...{ accountOf: `0x${'0'.repeat(40)}`, nonces: 0n, roundAt: 0n, startOf: 0n, endOf: BigInt(NOW_SEC + 1) },
  }
  async function next(signal: AbortSignal) {
    await Promise.resolve()
    signal.throwIfAborted()
    fake.mine()
    return head()
  }
  const readContract = async ({ functionName, args }: { functionName: string; args: readonly bigint[] }) =>
    functionName === 'startOf' && args[0] === 1n ? answers.endOf : answers[functionName]
  const connected = { rpc: { readContract }, rpcUrl: 'http://fake', heads: { read: head, recent: head, next } }
  const contracts = new Proxy({}, { get: () => ({ address: TO, block: 1 }) })
  const end = new AbortController()
  const store = createOutboxTable(openDatabase(':memory:'))
  const signer = {
    type: 'secp256k1',
    publicKey: `0x${'44'.repeat(64)}`,
    sign: async (): Promise<`0x${string}`> => '0x',
  } as const
  const chain: Chain = await runChain(
    { chain: connected, outboxRpc: fake.rpc } as unknown as Parameters<typeof runChain>[0],
    {
      deployment: { chainId: 1, startBlock: 0, contracts } as unknown as Deployment,
      ...{ accountKey: KEY, peerKey: KEY, signer, outbox: store, clock: createManualClock(), logger: silentLogger },
      signal: end.signal,
    },
  )
  onTestFinished(async () => {
    end.abort()
    await chain.done
  })
  return { fake, store, chain }
}

test('a registration of an earlier start is awaited until its deadline, and then replaced', async () => {
  const fake = createFakeChain()
  fake.reverting.add('0x0a')
  const { chain, store } = await peerOn(fake)
  store.insert(call(`register:${chain.account}:0:${NOW_SEC + 1}`, '0x0b'))
  expect(await chain.registerPeer()).toMatchObject({ status: 'mined' })
  expect(fake.executed()).toEqual(['0x0b'])

  const late = await peerOn(fake)
  late.store.insert(call(`register:${chain.account}:0:${NOW_SEC}`, '0x0a'))
  expect(await late.chain.registerPeer()).toMatchObject({ status: 'mined' })
  const { abi } = chain.contracts.peerRegistry
  const [, data = '0x'] = fake.executed()
  expect(decodeFunctionData({ abi, data })).toMatchObject({
    functionName: 'register',
    args: [`0x${'44'.repeat(64)}`, '0x', 286_400n],
  })
})

test('the outcomes of calls that an earlier start left are found by how their keys begin', async () => {
  const { chain, fake, store } = await peerOn()
  store.insert(call('market:createGame:1', '0x01'))
  store.insert(call('market:bet:1', '0x02'))
  expect(await chain.outcomesOf('market:createGame:')).toMatchObject([{ status: 'mined' }])
  expect(await chain.outcomesOf('market:resolve:')).toEqual([])
  expect(fake.executed()[0]).toBe('0x01')
})

test('the outcome of a call is counted once, however often it is asked for', async () => {
  const { chain } = await peerOn()
  const asked = call('reveal-votes:1', '0x01')
  const outcomes = [chain.send(asked), chain.send(asked)]
  expect(await Promise.all(outcomes)).toMatchObject([{ status: 'mined' }, { status: 'mined' }])
  await chain.send(asked)
  expect([...chain.sentCounts()]).toEqual([['reveal-votes mined', 1]])
})

test('the opening of a verdict is stored before its seal', async () => {
  const { chain, store } = await peerOn()
  chain.giveVerdict({ round: 1, peerKey: KEY, level: 1, openedRound: 2, position: 0, scoreMilli: 500 })
  expect(store.live().map(({ key }) => key.split(':')[0])).toEqual(['revealVerdict', 'commitVerdict'])
})
