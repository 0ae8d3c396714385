import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { testContradictions } from './events/contradictions.ts'
import type { Scene } from './events/scene.ts'
import { LiveClient } from './liveClient.ts'
import { TestChain } from './testChain.ts'
import { TestIndexer } from './testIndexer.ts'

// A start takes 5 s of work, and on a busy machine much longer.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

const folder = mkdtempSync(join(tmpdir(), 'waggle-live-'))
const clients: LiveClient[] = []
const scene = {} as Omit<Scene, 'cast'>

async function listen(query = '', headers: Record<string, string> = {}): Promise<LiveClient> {
  const client = await LiveClient.open(`${scene.indexer.url}/live${query}`, headers)
  clients.push(client)
  return client
}

beforeAll(async () => {
  scene.chain = await TestChain.start(folder)
  await scene.chain.enter(0)
  scene.indexer = await TestIndexer.start(scene.chain, join(folder, 'index'))
})

afterAll(async () => {
  for (const client of clients) client.close()
  await TestIndexer.endAll()
  scene.chain?.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('a subscriber gets the head at once, then every event as it is indexed', async () => {
  const [one, two] = [await listen(), await listen()]
  await one.next('head')
  const { peerKey, peerId } = await scene.chain.register()
  for (const client of [one, two]) {
    const { id, data } = await client.next('item', ({ kind }) => kind === 'peerRegistered')
    expect(data).toMatchObject({ id, peerKey, detail: { peerId } })
    await client.next('head', ({ blockNumber }) => Number(blockNumber) >= Number(data.blockNumber))
  }
})

test('a latecomer may ask for the last few events', async () => {
  const client = await listen('?last=2')
  await client.next('item', ({ kind }) => kind === 'peerRegistered')
  expect(client.received.filter(({ event }) => event === 'item')).toHaveLength(2)
})

test('a browser that reconnects gets what it missed and nothing twice', async () => {
  const first = await listen('?last=1')
  const { id = '' } = await first.next('item')
  first.close()
  const { peerKey } = await scene.chain.register()
  await scene.indexer.reachTip(scene.chain)
  const again = await listen('', { 'last-event-id': id })
  await again.next('item')
  expect(again.received.filter(({ event }) => event === 'item').map(({ data }) => data.peerKey)).toEqual([peerKey])
})

test('an event that a reorganisation undid is retracted', async () => {
  const client = await listen()
  const { peerKey } = await scene.chain.register()
  const { id } = await client.next('item', ({ peerKey: key }) => key === peerKey)
  await scene.chain.reorganise(1)
  await client.next('retract', ({ id: retracted }) => retracted === id)
})

testContradictions(scene)

test('open streams do not keep the indexer from ending', async () => {
  expect(await scene.indexer.end('SIGTERM')).toBe(0)
})
