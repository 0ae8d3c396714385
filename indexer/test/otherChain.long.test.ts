import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { TestChain } from './testChain.ts'
import { TestIndexer } from './testIndexer.ts'

/** More than twice Ponder's finality, so that what came before is final. */
const FINAL = { blocks: 100, interval: 1 }
const OTHER_BLOCKS = 'index: rebuilding it: the chain has other blocks than it was built from'

const folder = mkdtempSync(join(tmpdir(), 'waggle-other-chain-'))
const kept = join(folder, 'kept')
let chain: TestChain
let indexer: TestIndexer

beforeAll(async () => {
  chain = await TestChain.start(folder)
  await chain.enter(0)
})

afterAll(async () => {
  await TestIndexer.endAll()
  chain?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const peerKeys = async () => {
  const { peers } = await indexer.query<{ peers: { items: { peerKey: string }[] } }>('{ peers { items { peerKey } } }')
  return peers.items.map(({ peerKey }) => peerKey)
}

test('a reorganisation behind final blocks ends it at once, and the next start builds it again on the chain that is there', async () => {
  const older = await chain.client.snapshot()
  const lost = await chain.register()
  await chain.client.mine(FINAL)
  await chain.client.mine(FINAL)
  indexer = await TestIndexer.start(chain, kept)
  expect(await peerKeys()).toEqual([lost.peerKey])
  // Again if it had not looked yet at what is final.
  await vi.waitFor(
    async () => {
      if (indexer.process.exitCode === null) await chain.reorganise(120)
      expect(indexer.process.exitCode).not.toBeNull()
    },
    { timeout: 120_000, interval: 2_500 },
  )
  expect(await indexer.exited()).toBe(75)
  expect(indexer.log).toMatch(
    /index: block \d+ was final, and the chain has another or none now: start again to rebuild/,
  )
  await chain.client.revert({ id: older })
  const found = await chain.register()
  await chain.client.mine(FINAL)
  indexer = await TestIndexer.start(chain, kept)
  expect(indexer.complaints).toEqual([OTHER_BLOCKS])
  expect(await peerKeys()).toEqual([found.peerKey])
})
