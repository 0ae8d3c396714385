import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { rootOf, type ScoreSheet, type TaskBundle } from '#core/bodies.ts'
import { bodiesHere } from '#core/bodyOperations.ts'
import { createManualClock } from '#core/clock.ts'
import { contentId } from '#core/contentId.ts'
import { type Hex, ZERO_HASH } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { peerKeyOf } from '#core/peerKey.ts'
import type { Announcement } from '#p2p/announcement.ts'
import type { AnnouncementHandler } from '#p2p/announcements.ts'
import type { AnnouncementKind } from '#p2p/topics.ts'
import { openBundles } from '#store/bundles.ts'
import { createDiskGuard } from '#store/diskGuard.ts'
import { DiskFullError } from '#store/diskSpace.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import type { PeerNode } from '../peerNode.ts'
import { collectBodies } from './collectBodies.ts'
import { type Committed, createCommitments } from './commitments.ts'
import { openAnnounced } from './openAnnounced.ts'
import { readRound } from './readRound.ts'

const CHAIN_ID = 7
const ROUND = 5
const [honest, hostile] = ['16Uiu2HAmHonest', '16Uiu2HAmHostile']
const sequence = {
  promptTokens: new Uint8Array(2),
  completionTokens: new Uint8Array(2),
  logprobs: new Uint8Array(4),
  seed: ZERO_HASH,
}

async function tasksOf(peerId: string, text: string, round = ROUND) {
  const header = { v: 1 as const, chainId: CHAIN_ID, round, peerKey: peerKeyOf(peerId), policyHash: ZERO_HASH }
  const bundle: TaskBundle = { ...header, level: 1, tasks: [{ index: 0, level: 1, text, ...sequence }] }
  return sealed('tasks', peerId, round, bundle, rootOf(bundle))
}

async function sheetOf(peerId: string) {
  const evaluatorKey = peerKeyOf(peerId)
  const sheet: ScoreSheet = { v: 1, chainId: CHAIN_ID, round: ROUND, evaluatorKey, peers: [] }
  return sealed('scores', peerId, ROUND, sheet, ZERO_HASH)
}

async function sealed<Kind extends 'tasks' | 'scores'>(
  kind: Kind,
  peerId: string,
  round: number,
  body: Kind extends 'tasks' ? TaskBundle : ScoreSheet,
  root: Hex,
) {
  const { bytes } = await bodiesHere.seal(kind, body as never)
  const bound = { root, count: 1, contentId: contentId(bytes) }
  const announcement: Announcement = {
    ...{ v: 1, chainId: CHAIN_ID, kind, round, peerId, policyHash: ZERO_HASH, size: bytes.byteLength },
    ...bound,
  }
  return { bytes, announcement, commitment: { ...bound, peerKey: peerKeyOf(peerId) } satisfies Committed }
}

/** A gateway's store and pages, with a network and a chain that the test speaks for. */
async function gateway({ peerBytes = 2 ** 20 } = {}) {
  const clock = createManualClock()
  const db = openDatabase(':memory:')
  const journal = createJournal(db, clock)
  const quotas = { totalBytes: 2 ** 30, peerBytes, kindShares: {} }
  const folder = mkdtempSync(join(tmpdir(), 'waggle-gateway-'))
  const bundles = await openBundles(folder, { logger: silentLogger, quotas })
  const committed = new Map<string, Committed[]>()
  const served = new Map<Hex, Uint8Array>()
  const fetched: Hex[] = []
  const handlers = new Map<AnnouncementKind, AnnouncementHandler>()
  const end = new AbortController()
  let [now, reads] = [ROUND - 1, 0]
  let isFull = false
  const read = (kind: string) => async (round: number) => {
    reads += 1
    return (committed.get(`${kind} ${round}`) ?? []) as never[]
  }
  const chain = {
    ...{ readTaskCommitments: read('tasks'), readRolloutCommitments: read('rollouts') },
    readRevealedVotes: async (round: number) =>
      (await read('scores')(round)).map(
        ({ peerKey, ...rest }: Committed) => ({ ...rest, evaluatorKey: peerKey }) as never,
      ),
  }
  const commitments = createCommitments({ chain, clock, currentRound: () => now })
  const collecting = collectBodies({
    network: {
      onAnnouncement(kind, handler) {
        handlers.set(kind, handler)
        return () => void handlers.delete(kind)
      },
    },
    async fetch({ contentId: id, kind, round }, { peerKey }) {
      fetched.push(id)
      const bytes = served.get(id) ?? null
      if (bytes !== null) await bundles.keep(bytes, round, { peerKey, kind })
      return bytes
    },
    open: ({ kind, round }, commitment, bytes) =>
      openAnnounced(bodiesHere, kind, bytes, { chainId: CHAIN_ID, round }, commitment),
    onBody({ kind, round, peerId, contentId: id }) {
      if (isFull) throw new DiskFullError('the journal')
      journal.set(round, `${kind} ${peerId}`, id)
    },
    disk: createDiskGuard({ folder, clock, logger: silentLogger, readFree: async () => 2 ** 40 }),
    ...{ bundles, commitments, clock, logger: silentLogger, signal: end.signal },
  })
  onTestFinished(async () => {
    end.abort()
    await collecting.stop()
    db.close()
  })
  const node = { journal, bundles, bodies: bodiesHere, environment: { format: {} } } as unknown as PeerNode
  return {
    fetched,
    bundles,
    counts: collecting.counts,
    reads: () => reads,
    page: (round = ROUND) => readRound(node, commitments, round),
    setRound: (round: number) => {
      now = round
    },
    commit(kind: AnnouncementKind, ...all: Committed[]) {
      committed.set(`${kind} ${ROUND}`, all)
    },
    commitFor: (round: number, all: Committed[]) => committed.set(`tasks ${round}`, all),
    setFull: (full: boolean) => {
      isFull = full
    },
    announce(announcement: Announcement, bytes?: Uint8Array) {
      if (bytes) served.set(announcement.contentId, bytes)
      void handlers.get(announcement.kind)?.(announcement)
    },
    /** Lets time pass until it holds. */
    async until(holds: () => boolean) {
      for (const startedMs = performance.now(); !holds(); ) {
        if (performance.now() - startedMs > 20_000)
          throw new Error(`It never held: ${JSON.stringify(collecting.counts())}`)
        clock.advance(1_000)
        await new Promise(resolve => setImmediate(resolve))
      }
    },
  }
}

test('a body is fetched once its commitment is there, and shown', async () => {
  const { announce, commit, until, counts, page, fetched, reads } = await gateway()
  const { announcement, bytes, commitment } = await tasksOf(honest, 'sum of a list')
  announce(announcement, bytes)
  await until(() => reads() > 2)
  expect({ fetched, page: await page(), waiting: counts().waiting }).toEqual({ fetched: [], page: null, waiting: 1 })
  commit('tasks', commitment)
  await until(() => counts().kept === 1)
  expect(await page()).toMatchObject({ tasks: [{ proposer: honest, text: 'sum of a list' }], omitted: 0 })
  announce(announcement)
  await until(() => counts().waiting === 0)
  expect(fetched).toHaveLength(1)
})

test('a body that no commitment names is never fetched, and counted once none can come', async () => {
  const { announce, commit, until, counts, fetched, setRound } = await gateway()
  const [mine, other] = [await tasksOf(hostile, 'invented'), await tasksOf(hostile, 'committed')]
  const forged = { ...(await tasksOf(honest, 'honest')).announcement, peerId: '16Uiu2HAmForger' }
  commit('tasks', other.commitment)
  announce(mine.announcement, mine.bytes)
  announce(forged)
  setRound(ROUND)
  await until(() => counts().waiting === 0)
  expect(counts().refused).toMatchObject({ 'contradicts its commitment': 1, 'not committed': 1 })
  expect(fetched).toEqual([])
})

test("bodies in another's name are dropped, also where they were committed, and the other's stay", async () => {
  const { announce, commit, until, counts, page, bundles } = await gateway()
  const own = await tasksOf(honest, 'honest')
  const invented = await tasksOf(honest, 'invented in their name')
  const asHostile = { peerId: hostile, peerKey: peerKeyOf(hostile) }
  const copied = { ...own.commitment, peerKey: asHostile.peerKey }
  commit('tasks', own.commitment, { ...invented.commitment, peerKey: asHostile.peerKey }, copied)
  announce(own.announcement, own.bytes)
  await until(() => counts().kept === 1)
  announce({ ...invented.announcement, peerId: hostile }, invented.bytes)
  await until(() => counts().refused['not what was committed'] === 1)
  announce({ ...own.announcement, peerId: hostile })
  await until(() => counts().refused['not what was committed'] === 2)
  expect(bundles.has(invented.announcement.contentId)).toBe(false)
  expect((await page())?.tasks.map(({ text, proposer }) => [text, proposer])).toEqual([['honest', honest]])
})

test("a peer that announces many and huge bodies fills its own quota, and shows in nobody else's", async () => {
  const peerBytes = 10_000
  const { announce, commitFor, until, counts, bundles, fetched, page } = await gateway({ peerBytes })
  const own = await tasksOf(honest, 'honest')
  const many = await Promise.all(Array.from({ length: 100 }, (_, at) => tasksOf(hostile, 'x'.repeat(900), ROUND + at)))
  commitFor(ROUND, [own.commitment])
  announce(own.announcement, own.bytes)
  await until(() => counts().kept === 1)
  for (const { commitment, announcement, bytes } of many) {
    const others = announcement.round === ROUND ? [own.commitment] : []
    commitFor(announcement.round, [...others, commitment])
    announce(announcement, bytes)
  }
  await until(() => counts().kept === 101)
  const held = many.filter(({ announcement }) => bundles.has(announcement.contentId))
  expect(held.reduce((sum, { bytes }) => sum + bytes.byteLength, 0)).toBeLessThanOrEqual(peerBytes)
  expect(held.at(-1)).toBe(many.at(-1))
  expect((await page())?.tasks.map(({ text }) => text)).toEqual(['honest'])
  const [before, huge] = [fetched.length, await tasksOf(hostile, 'huge', ROUND + 200)]
  commitFor(ROUND + 200, [huge.commitment])
  announce({ ...huge.announcement, size: 2 ** 40 }, huge.bytes)
  await until(() => counts().refused['over quota'] === 1)
  expect(fetched).toHaveLength(before)
})

test('a page shows no body whose commitment a reorganisation took, and a sheet once its own evaluator has revealed it', async () => {
  const { announce, commit, until, counts, page, reads } = await gateway()
  const [own, sheet] = [await tasksOf(honest, 'honest'), await sheetOf(honest)]
  commit('tasks', own.commitment)
  commit('scores', sheet.commitment)
  announce(own.announcement, own.bytes)
  announce(sheet.announcement, sheet.bytes)
  announce({ ...sheet.announcement, peerId: hostile })
  await until(() => counts().kept === 2)
  expect(await page()).toMatchObject({ tasks: [{ text: 'honest' }], evaluators: [{ peerId: honest }] })
  commit('tasks')
  const before = reads()
  await until(() => reads() > before + 2)
  expect(await page()).toMatchObject({ tasks: [], evaluators: [{ peerId: honest }] })
})

test('a body that meets a full disk is collected once there is space', async () => {
  const { announce, commit, until, counts, page, fetched, setFull } = await gateway()
  const { announcement, bytes, commitment } = await tasksOf(honest, 'patient')
  commit('tasks', commitment)
  setFull(true)
  announce(announcement, bytes)
  await until(() => fetched.length > 2)
  setFull(false)
  await until(() => counts().waiting === 0 && counts().kept === 1)
  expect(await page()).toMatchObject({ tasks: [{ text: 'patient' }] })
})
