import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { preparePglite } from '../launch/preparePglite.ts'
import { type Cast, gather, playRound } from './play.ts'
import { TestChain } from './testChain.ts'
import { TestIndexer } from './testIndexer.ts'

// A start takes 5 s of work, and on a busy machine much longer.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

const folder = mkdtempSync(join(tmpdir(), 'waggle-restart-'))
const kept = join(folder, 'kept')
let chain: TestChain
let indexer: TestIndexer
let cast: Cast
/** Rows of the index that was killed and went on. */
let continued: Awaited<ReturnType<TestIndexer['dump']>>

beforeAll(async () => {
  chain = await TestChain.start(folder)
  cast = await gather(chain)
  await chain.enter(0)
  await chain.commitSecret(cast.proposer, 2)
})

afterAll(async () => {
  await TestIndexer.endAll()
  chain?.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('killed in mid-round, with a reorganisation while it is away, it resumes without what was undone', async () => {
  indexer = await TestIndexer.start(chain, kept)
  for (const round of [0, 1, 2, 3]) {
    if (round > 0) await chain.enter(round)
    await playRound(chain, cast, round)
    // More than twice Ponder's finality, so that some of what is on disk is final and some is not.
    await chain.client.mine({ blocks: 25, interval: 1 })
  }
  await chain.enter(4)
  const undone = await chain.register()
  await indexer.reachTip(chain)
  expect(await indexer.query(`{ peer(peerKey: "${undone.peerKey}") { moves } }`)).toEqual({ peer: { moves: 0 } })

  await indexer.end('SIGKILL')
  await chain.reorganise(1)
  await playRound(chain, cast, 4)
  await chain.enter(5)
  await playRound(chain, cast, 5)

  indexer = await TestIndexer.start(chain, kept)
  continued = await indexer.dump()
  expect(JSON.stringify(continued)).not.toContain(undone.peerId)
  expect(indexer.complaints).toEqual([])
})

test('a second indexer on the same folder is refused', async () => {
  const second = await TestIndexer.spawn(chain, kept)
  expect(await second.exited()).toBe(1)
  expect(second.log).toBe(`another indexer is using ${kept}: stop it, or set WAGGLE_INDEX to another folder\n`)
})

test('a port, a chain or a record that is not available is one line that says what to do', async () => {
  const nowhere = 'http://127.0.0.1:9'
  const cases = [
    {
      at: Number(new URL(chain.url).port),
      says: `cannot listen on 127.0.0.1:${new URL(chain.url).port}: choose another port with --port`,
    },
    { url: nowhere, says: `the chain at ${nowhere} does not answer: start it, or set WAGGLE_RPC_URL` },
    { recordPath: '/nowhere.json', says: expect.stringMatching(/^no deployment record at \/nowhere\.json: run .*$/) },
  ]
  for (const { at, says, ...wrong } of cases) {
    const failing = await TestIndexer.spawn(
      { recordPath: chain.recordPath, url: chain.url, ...wrong },
      join(folder, 'none'),
      at,
    )
    expect(await failing.exited()).toBe(1)
    expect(failing.complaints).toEqual([says])
  }
})

test('told to stop, it exits with 0', async () => {
  expect(await indexer.end('SIGTERM')).toBe(0)
})

test('an index that does not open is rebuilt, with the same rows as one that was killed and continued', async () => {
  for (const file of ['PG_VERSION', 'global/pg_control']) writeFileSync(join(kept, 'pglite', file), 'garbage')
  indexer = await TestIndexer.start(chain, kept)
  expect(indexer.complaints).toEqual([expect.stringMatching(/^index: rebuilding it: it does not open \(.*\)$/)])
  expect(await indexer.dump()).toEqual(continued)
  await indexer.end('SIGTERM')
})

test('an index of another origin is dropped', async () => {
  const pglite = join(kept, 'pglite')
  const reason = 'it was built by other code, or for another deployment or chain'
  expect(await preparePglite(pglite, 'waggle_0000000000000000')).toEqual({ kind: 'dropped', reason })
  expect(existsSync(pglite)).toBe(false)
})
