import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BlockNotFoundError } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { type Chain, steadyBlock } from './chain.ts'
import { checkHeld } from './checkHeld.ts'
import { watchChain } from './watchChain.ts'
import { watchedBlock } from './watchedBlock.ts'

interface FakeBlock {
  number: bigint
  timestamp: bigint
  hash: string
}

/** Blocks a second apart from 1,000 on; `branch` names those from a number on. */
function fakeChain(length: number, branch = { from: Number.POSITIVE_INFINITY, name: 'a', lateSec: 0 }) {
  const chain = { length, branch, getBlock }
  async function getBlock({ blockNumber }: { blockNumber?: bigint } = {}): Promise<FakeBlock> {
    const number = blockNumber ?? BigInt(chain.length - 1)
    if (number >= BigInt(chain.length)) throw new BlockNotFoundError({ blockNumber: number })
    const isOther = Number(number) >= chain.branch.from
    const timestamp = 1_000n + number + (isOther ? BigInt(chain.branch.lateSec) : 0n)
    return { number, timestamp, hash: `${isOther ? chain.branch.name : 'a'}${number}` }
  }
  return chain as typeof chain & Pick<Chain, 'getBlock'>
}

const held = (newest = 90) => ({
  final: { number: 100n, timestampSec: 1_100 },
  newest: { number: BigInt(newest), hash: `a${newest}` as never },
})
const local = { chainId: 31_337, isLocal: true, watched: null, pauseMs: 1 }
const elsewhere = { chainId: 84_532, isLocal: false, watched: null, pauseMs: 1 }
const OTHER = 'the chain has other blocks than it was built from'

test('an index resumes where the chain has the block that was final, and that of the newest event', async () => {
  for (const where of [local, elsewhere]) {
    expect(await checkHeld(fakeChain(200), held(), where)).toBeNull()
    expect(await checkHeld(fakeChain(200), { ...held(), newest: null }, where)).toBeNull()
  }
})

test('on another branch the index is built again, whether an event is on it or the time alone is another', async () => {
  for (const where of [local, elsewhere]) {
    const withEvent = fakeChain(200, { from: 80, name: 'b', lateSec: 0 })
    expect(await checkHeld(withEvent, held(), where)).toBe(OTHER)
    const without = fakeChain(200, { from: 95, name: 'b', lateSec: 1 })
    expect(await checkHeld(without, held(), where)).toBe(OTHER)
  }
})

/** A chain whose first answers about past blocks are of another branch. */
function lyingChain(lies: number) {
  const [honest, other] = [fakeChain(200), fakeChain(200, { from: 0, name: 'b', lateSec: 1 })]
  const getBlock = (query: { blockNumber?: bigint } = {}) =>
    (query.blockNumber !== undefined && lies-- > 0 ? other : honest).getBlock(query)
  return { getBlock } as unknown as Pick<Chain, 'getBlock'>
}

test('one false block neither costs an index nor names its chain', async () => {
  for (const where of [local, elsewhere]) {
    expect(await checkHeld(lyingChain(1), { ...held(), newest: null }, where)).toBeNull()
    expect(await checkHeld(lyingChain(2), held(), where)).toBeNull()
    expect(await checkHeld(lyingChain(100), held(), where)).toBe(OTHER)
  }
  expect((await steadyBlock(lyingChain(1), 5n, false, 1))?.hash).toBe('a5')
})

test('a local chain that is shorter went back, and an endpoint that is shorter may be behind', async () => {
  expect(await checkHeld(fakeChain(95), held(), local)).toBe('the chain went back behind blocks that were final')
  await expect(checkHeld(fakeChain(95), held(), elsewhere)).rejects.toThrow(
    'the chain is at block 94, and block 100 was final when the index was written: wait until',
  )
  const other = fakeChain(95, { from: 50, name: 'b', lateSec: 0 })
  for (const where of [local, elsewhere]) expect(await checkHeld(other, held(), where)).toBe(OTHER)
})

test('a running index is told once that a final block is another one, and of no shallow reorganisation', async () => {
  const chain = fakeChain(200)
  const told: bigint[] = []
  const poll = watchChain(chain, { ...local, onWatch() {}, onChange: number => void told.push(number) })
  await poll()
  chain.branch = { from: 175, name: 'b', lateSec: 0 }
  await poll()
  chain.length = 240
  await poll()
  expect(told).toEqual([])
  const [honest, other] = [chain.branch, { from: 150, name: 'c', lateSec: 0 }]
  for (const branch of [other, honest, other]) {
    chain.branch = branch
    await poll()
  }
  expect(told).toEqual([])
  for (let read = 0; read < 2; read++) await poll()
  expect(told).toEqual([209n])
})

test('a reorganisation behind the newest event is seen by the next start, also where blocks have fixed times', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waggle-watched-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const where of [local, elsewhere]) {
    const chain = fakeChain(140)
    const { read, keep, forget } = watchedBlock(folder, 'waggle_a')
    const poll = watchChain(chain, { ...where, onChange() {}, onWatch: keep })
    await poll()
    expect(read()).toEqual({ number: 109n, hash: 'a109' })
    expect(watchedBlock(folder, 'waggle_b').read()).toBeNull()
    expect(await checkHeld(chain, held(), { ...where, watched: read() })).toBeNull()
    chain.branch = { from: 95, name: 'b', lateSec: 0 }
    expect(await checkHeld(chain, held(), { ...where, watched: read() })).toBe(OTHER)
    forget()
    expect(read()).toBeNull()
  }
})

test('a block is watched once an endpoint has named it twice', async () => {
  const watched: string[] = []
  const poll = watchChain(lyingChain(1), {
    ...elsewhere,
    onChange() {},
    onWatch: ({ hash }) => void watched.push(hash),
  })
  await poll()
  expect(watched).toEqual(['a169'])
})

test('an answer other than a block is an outage, not another branch', async () => {
  const chain = fakeChain(220)
  let isOdd = false
  const odd = { number: null, hash: undefined } as never
  const getBlock = (query: { blockNumber?: bigint } = {}) =>
    isOdd && query.blockNumber !== undefined ? Promise.resolve(odd) : chain.getBlock(query)
  const told: bigint[] = []
  const watched = { getBlock } as unknown as Pick<Chain, 'getBlock'>
  const poll = watchChain(watched, { ...elsewhere, onWatch() {}, onChange: number => told.push(number) })
  await poll()
  isOdd = true
  for (let read = 0; read < 3; read++) await expect(poll()).rejects.toThrow('did not answer with block')
  expect(told).toEqual([])
})

test('a block that is missing was lost by a local chain only', async () => {
  for (const [where, lost] of [
    [local, 1],
    [elsewhere, 0],
  ] as const) {
    const chain = fakeChain(200)
    let told = 0
    const poll = watchChain(chain, { ...where, onWatch() {}, onChange: () => void told++ })
    await poll()
    chain.length = 120
    await poll()
    await poll()
    expect(told).toBe(lost)
  }
})
