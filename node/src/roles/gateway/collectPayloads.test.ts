import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { contentId } from '#core/contentId.ts'
import { type Hex, ZERO_HASH } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { packLogprobs, packTokens } from '#core/payloads/packedTokens.ts'
import { payloadsHere, type RolloutBundle, rootOf, type ScoreSheet } from '#core/payloads/payloads.ts'
import { taskHash } from '#core/payloads/taskProposal.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import type { Announcement } from '#p2p/gossip/announcement.ts'
import type { AnnouncementHandler } from '#p2p/gossip/announcements.ts'
import type { AnnouncementKind } from '#p2p/gossip/topics.ts'
import { openBundles } from '#store/bundles.ts'
import { createDiskGuard } from '#store/diskGuard.ts'
import { DiskFullError } from '#store/diskSpace.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import type { PeerNode } from '../peerNode.ts'
import { collectPayloads } from './collectPayloads.ts'
import { type Committed, createCommitments, openAnnounced } from './commitments.ts'
import { createKeptViews } from './keptViews.ts'
import { slotOf } from './payloadSlot.ts'
import { createPeerIds } from './peerIds.ts'
import { type RoundView, readGroup, readRound } from './roundView.ts'

const CHAIN_ID = 7
const ROUND = 5
const [honest, hostile] = ['16Uiu2HAmHonest', '16Uiu2HAmHostile']
/** A round has tasks of one proposer and, without an author, of the beacon. */
const proposerKey = peerKeyOf('16Uiu2HAmProposer')
const proposedAt = (index: number) => ({ peerKey: proposerKey, index })
const drawnAt = (index: number) => ({ peerKey: ZERO_HASH, index })

/** A bundle with one answer to each of these tasks. */
async function answersOf(peerId: string, text: string, round = ROUND, tasks = [proposedAt(0)]) {
  const header = { v: 1 as const, chainId: CHAIN_ID, round, peerKey: peerKeyOf(peerId), policyHash: ZERO_HASH }
  const rollout = {
    ...{ ended: true, seed: ZERO_HASH, sampling: { temperature: 1, maxNewTokens: 4096 } },
    promptTokens: new Uint8Array(2),
    completionTokens: packTokens(Int32Array.from(Buffer.from(text)), 2),
    logprobs: packLogprobs(new Float32Array(text.length)),
  }
  const bundle: RolloutBundle = {
    ...header,
    groups: tasks.map((taskRef, at) => ({ taskRef, rollouts: [{ index: at, ...rollout }] })),
  }
  return sealed('rollouts', peerId, round, bundle, rootOf(bundle))
}

const none: never[] = []

/** Tasks of one proposer, if it proposed any. */
const proposing = (texts: readonly string[]) => async () =>
  texts.length === 0 ? none : [{ peerId: 'proposer', peerKey: proposerKey, level: 1, texts }]

/** The peer whose answers a page shows, and their texts. */
const shown = (page: Awaited<ReturnType<typeof readRound>>) =>
  page?.groups.map(({ peerId, rollouts }) => [peerId, rollouts[0]?.text])

async function scoreSheetOf(peerId: string, scored: readonly Hex[] = []) {
  const evaluatorKey = peerKeyOf(peerId)
  const peers = scored.map(peerKey => ({ peerKey, scoreMilli: 700, leaves: [] }))
  const scoreSheet: ScoreSheet = { v: 1, chainId: CHAIN_ID, round: ROUND, evaluatorKey, peers }
  return sealed('scores', peerId, ROUND, scoreSheet, ZERO_HASH)
}

async function sealed<Kind extends 'rollouts' | 'scores'>(
  kind: Kind,
  peerId: string,
  round: number,
  payload: Kind extends 'rollouts' ? RolloutBundle : ScoreSheet,
  root: Hex,
) {
  const { bytes } = await payloadsHere.seal(kind, payload as never)
  const bound = { root, count: 'groups' in payload ? payload.groups.length : 1, contentId: contentId(bytes) }
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
  const slow = new Set<Hex>()
  const asked: Hex[][] = []
  const fetched: Hex[] = []
  const handlers = new Map<AnnouncementKind, AnnouncementHandler>()
  const views = createKeptViews<RoundView>()
  const end = new AbortController()
  const aborted = new Promise(resolve => end.signal.addEventListener('abort', resolve))
  let [now, reads, opened] = [ROUND - 1, 0, 0]
  let isFull = false
  const read = (kind: string) => async (round: number) => {
    reads += 1
    return (committed.get(`${kind} ${round}`) ?? []) as never[]
  }
  const chain = {
    ...{ readRolloutCommitments: read('rollouts') },
    readRevealedVotes: async (round: number) =>
      (await read('scores')(round)).map(
        ({ peerKey, ...rest }: Committed) => ({ ...rest, evaluatorKey: peerKey }) as never,
      ),
  }
  const commitments = createCommitments({ chain, clock, currentRound: () => now })
  const collecting = collectPayloads({
    network: {
      onAnnouncement(kind, handler) {
        handlers.set(kind, handler)
        return () => void handlers.delete(kind)
      },
    },
    async fetch({ contentId: id, kind, round }, { peerKey }) {
      fetched.push(id)
      if (slow.has(id)) await aborted
      const bytes = served.get(id)
      if (bytes !== undefined) await bundles.keep(bytes, round, { peerKey, kind })
      return bytes !== undefined
    },
    open: ({ kind, round }, commitment, bytes) =>
      openAnnounced(payloadsHere, kind, bytes, { chainId: CHAIN_ID, round }, commitment),
    peerIds: createPeerIds({
      async readPeerIds(keys) {
        asked.push([...keys])
        return keys.map(key => [honest, hostile].find(peerId => peerKeyOf(peerId) === key) ?? null)
      },
    }),
    isKept: offered => journal.get(offered.round, slotOf(offered)) === offered.contentId,
    onPayload(offered) {
      opened += 1
      if (isFull) throw new DiskFullError('the journal')
      journal.set(offered.round, slotOf(offered), offered.contentId)
    },
    disk: createDiskGuard({ folder, clock, logger: silentLogger, readFree: async () => 2 ** 40 }),
    ...{ bundles, commitments, clock, logger: silentLogger, signal: end.signal },
  })
  onTestFinished(async () => {
    end.abort()
    await collecting.stop()
    db.close()
  })
  const completionText = async (tokens: Int32Array) => Buffer.from(tokens).toString()
  const format = { vocabSize: 256, completionText }
  const node = {
    chainId: CHAIN_ID,
    journal,
    bundles,
    payloads: payloadsHere,
    environment: { format, spec: { tasksPerRound: 6 } },
  } as unknown as PeerNode
  return {
    fetched,
    slow,
    bundles,
    counts: collecting.counts,
    takeCommitted: collecting.takeCommitted,
    serve: (id: Hex, bytes: Uint8Array) => served.set(id, bytes),
    reads: () => reads,
    opened: () => opened,
    asked,
    page: (round = ROUND, texts: readonly string[] = []) =>
      readRound(node, { commitments, proposals: proposing(texts), views }, round),
    group: (peerId: string, texts: readonly string[]) => {
      const proposals = proposing(texts)
      const task = taskHash(proposedAt(0))
      return readGroup(node, { commitments, proposals }, { round: ROUND, task, peerKey: peerKeyOf(peerId) })
    },
    setRound: (round: number) => {
      now = round
    },
    commit(kind: AnnouncementKind, ...all: Committed[]) {
      committed.set(`${kind} ${ROUND}`, all)
    },
    commitFor: (round: number, all: Committed[]) => committed.set(`rollouts ${round}`, all),
    /** Keeps a payload under a peer's name without a check, as a journal of an earlier release may. */
    async keepAs(offered: Pick<Announcement, 'kind' | 'peerId' | 'contentId'>, bytes: Uint8Array) {
      await bundles.put(bytes, ROUND)
      journal.set(ROUND, slotOf(offered), offered.contentId)
    },
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

test('a page has tasks of the beacon and proposed ones: of a solver each once, and no more than it owes', async () => {
  const { announce, commit, until, counts, page } = await gateway()
  const tasks = [proposedAt(7), proposedAt(1), drawnAt(1), proposedAt(1), drawnAt(1), proposedAt(0), drawnAt(2)]
  const { announcement, bytes, commitment } = await answersOf(hostile, 'filler', ROUND, tasks)
  announce(announcement, bytes)
  commit('rollouts', commitment)
  await until(() => counts().kept === 1)
  const placesIn = async (texts: readonly string[]) =>
    (await page(ROUND, texts))?.groups.map(({ text, rollouts }) => `${rollouts[0]?.index} ${text}`)
  expect(await placesIn(['sum of a list', 'primes'])).toEqual(['1 primes', '2 ', '5 sum of a list'])
  // Proposals come from the chain, which may not have answered yet.
  expect(await placesIn([])).toEqual(['0 ', '1 ', '2 ', '5 '])
})

test('a payload is fetched once its commitment is there, and shown', async () => {
  const { announce, commit, until, counts, page, fetched, reads } = await gateway()
  const { announcement, bytes, commitment } = await answersOf(honest, 'sum of a list')
  announce(announcement, bytes)
  await until(() => reads() > 2)
  expect({ fetched, page: await page(), waiting: counts().waiting }).toEqual({ fetched: [], page: null, waiting: 1 })
  commit('rollouts', commitment)
  await until(() => counts().kept === 1)
  expect(shown(await page())).toEqual([[honest, 'sum of a list']])
  announce(announcement)
  await until(() => counts().waiting === 0)
  expect(fetched).toHaveLength(1)
})

test("a solver's answers to a task are read once nobody can commit to others, and as long as the chain has them", async () => {
  const { announce, commit, until, counts, group, setRound } = await gateway()
  const { announcement, bytes, commitment } = await answersOf(honest, 'sum of a list')
  announce(announcement, bytes)
  commit('rollouts', commitment)
  await until(() => counts().kept === 1)
  setRound(ROUND)
  expect(await group(honest, ['the task'])).toBeNull()
  setRound(ROUND + 1)
  expect(await group(honest, ['the task'])).toEqual({
    text: 'the task',
    answers: [{ index: 0, text: 'sum of a list' }],
  })
  expect(await group(hostile, ['the task'])).toBeNull()
  expect(await group(honest, [])).toBeNull()
  // A reorganisation takes the commitment away.
  commit('rollouts')
  let seconds = 0
  await until(() => seconds++ > 6)
  expect(await group(honest, ['the task'])).toBeNull()
})

test('a payload that no commitment names is never fetched, and counted once none can come', async () => {
  const { announce, commit, until, counts, fetched, setRound } = await gateway()
  const [mine, other] = [await answersOf(hostile, 'invented'), await answersOf(hostile, 'committed')]
  const forged = { ...(await answersOf(honest, 'honest')).announcement, peerId: '16Uiu2HAmForger' }
  commit('rollouts', other.commitment)
  announce(mine.announcement, mine.bytes)
  announce(forged)
  setRound(ROUND + 1)
  await until(() => counts().waiting === 0)
  expect(counts().refused).toMatchObject({ 'contradicts its commitment': 1, 'not committed': 1 })
  expect(fetched).toEqual([])
})

test.each([
  ['empty', [], 'not committed'],
  ['older', ['amended'], 'contradicts its commitment'],
] as const)('a payload that one %s list of commitments lacked is taken with the next list', async (_, late, reason) => {
  const { announce, commit, until, counts, takeCommitted, setRound, page } = await gateway()
  const { announcement, bytes, commitment } = await answersOf(honest, 'sum of a list')
  const older = await Promise.all(late.map(text => answersOf(honest, text)))
  commit('rollouts', ...older.map(one => one.commitment))
  setRound(ROUND + 1)
  announce(announcement, bytes)
  await until(() => counts().refused[reason] === 1)
  commit('rollouts', commitment)
  let seconds = 0
  await until(() => seconds++ > 6)
  await takeCommitted(ROUND, 'rollouts')
  await until(() => counts().kept === 1)
  expect(shown(await page())).toEqual([[honest, 'sum of a list']])
})

test("payloads in another's name are dropped, also where they were committed, and the other's stay", async () => {
  const { announce, commit, until, counts, page, bundles } = await gateway()
  const own = await answersOf(honest, 'honest')
  const invented = await answersOf(honest, 'invented in their name')
  const asHostile = { peerId: hostile, peerKey: peerKeyOf(hostile) }
  const copied = { ...own.commitment, peerKey: asHostile.peerKey }
  commit('rollouts', own.commitment, { ...invented.commitment, peerKey: asHostile.peerKey }, copied)
  announce(own.announcement, own.bytes)
  await until(() => counts().kept === 1)
  announce({ ...invented.announcement, peerId: hostile }, invented.bytes)
  await until(() => counts().refused['not what was committed'] === 1)
  announce({ ...own.announcement, peerId: hostile })
  await until(() => counts().refused['not what was committed'] === 2)
  expect(bundles.has(invented.announcement.contentId)).toBe(false)
  expect(shown(await page())).toEqual([[honest, 'honest']])
})

test("a peer that announces many and huge payloads fills its own quota, and shows in nobody else's", async () => {
  const peerBytes = 10_000
  const { announce, commitFor, until, counts, bundles, fetched, page } = await gateway({ peerBytes })
  const own = await answersOf(honest, 'honest')
  const many = await Promise.all(
    Array.from({ length: 100 }, (_, at) => answersOf(hostile, 'x'.repeat(900), ROUND + at)),
  )
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
  expect(shown(await page())).toEqual([[honest, 'honest']])
  const [before, huge] = [fetched.length, await answersOf(hostile, 'huge', ROUND + 200)]
  commitFor(ROUND + 200, [huge.commitment])
  announce({ ...huge.announcement, size: 2 ** 40 }, huge.bytes)
  await until(() => counts().refused['over quota'] === 1)
  expect(fetched).toHaveLength(before)
})

test('authors that never end take no place of others in the queue of the fetch plan', async () => {
  const { announce, commit, until, counts, page, slow } = await gateway()
  const own = await answersOf(honest, 'honest')
  const many = await Promise.all(Array.from({ length: 40 }, (_, at) => answersOf(`16Uiu2HAmSlow${at}`, 'slow')))
  commit('rollouts', ...many.map(({ commitment }) => commitment), own.commitment)
  for (const { announcement } of many) {
    slow.add(announcement.contentId)
    announce(announcement)
  }
  announce(own.announcement, own.bytes)
  await until(() => counts().kept === 1)
  expect(shown(await page())).toEqual([[honest, 'honest']])
})

test('a page shows no payload whose commitment a reorganisation took, and a score sheet once its own evaluator has revealed it', async () => {
  const { announce, commit, until, counts, page, reads } = await gateway()
  const [own, scores] = [await answersOf(honest, 'honest'), await scoreSheetOf(honest)]
  commit('rollouts', own.commitment)
  commit('scores', scores.commitment)
  announce(own.announcement, own.bytes)
  announce(scores.announcement, scores.bytes)
  announce({ ...scores.announcement, peerId: hostile })
  await until(() => counts().kept === 2)
  expect(await page()).toMatchObject({ groups: [{ peerId: honest }], evaluators: [{ peerId: honest }] })
  commit('rollouts')
  const before = reads()
  await until(() => reads() > before + 2)
  expect(await page()).toMatchObject({ groups: [], evaluators: [{ peerId: honest }] })
})

test("a page shows no score sheet or answers of another under a peer's name, though the chain names their content", async () => {
  const { keepAs, commit, page } = await gateway()
  const [answers, scores] = [await answersOf(honest, 'honest'), await scoreSheetOf(honest, [peerKeyOf(honest)])]
  const stolen = peerKeyOf(hostile)
  commit('rollouts', answers.commitment, { ...answers.commitment, peerKey: stolen })
  commit('scores', scores.commitment, { ...scores.commitment, peerKey: stolen })
  for (const peerId of [honest, hostile]) {
    await keepAs({ ...answers.announcement, peerId }, answers.bytes)
    await keepAs({ ...scores.announcement, peerId }, scores.bytes)
  }
  const seen = await page()
  expect(shown(seen)).toEqual([[honest, 'honest']])
  expect(seen?.evaluators.map(({ peerId }) => peerId)).toEqual([honest])
})

test('payloads of a round are opened again only if one has come or gone', async () => {
  const { keepAs, commit, page, bundles } = await gateway()
  const answers = [await answersOf(honest, 'honest'), await answersOf(hostile, 'late')]
  commit('rollouts', ...answers.map(({ commitment }) => commitment))
  const opened = vi.spyOn(bundles, 'get')
  for (const [at, { announcement, bytes }] of answers.entries()) {
    await keepAs(announcement, bytes)
    opened.mockClear()
    expect((await page())?.groups).toHaveLength(at + 1)
    expect(opened).toHaveBeenCalledTimes(at + 1)
    expect((await page())?.groups).toHaveLength(at + 1)
    expect(opened).toHaveBeenCalledTimes(at + 1)
  }
})

test('a payload that meets a full disk is collected once there is space', async () => {
  const { announce, commit, until, counts, page, fetched, opened, setFull } = await gateway()
  const { announcement, bytes, commitment } = await answersOf(honest, 'patient')
  commit('rollouts', commitment)
  setFull(true)
  announce(announcement, bytes)
  await until(() => opened() > 2)
  setFull(false)
  await until(() => counts().waiting === 0 && counts().kept === 1)
  expect(fetched).toHaveLength(1)
  expect(shown(await page())).toEqual([[honest, 'patient']])
})

test('a payload without an announcement is fetched from the author that the chain names: once, and again if it was away', async () => {
  const { serve, takeCommitted, commit, until, counts, page, fetched, asked, announce, setRound } = await gateway()
  const [own, scores] = [await answersOf(honest, 'never announced'), await scoreSheetOf(honest)]
  const away = await answersOf(hostile, 'away')
  const nobody = { ...own.commitment, peerKey: peerKeyOf('16Uiu2HAmNobody') }
  commit('rollouts', own.commitment, away.commitment, nobody)
  commit('scores', scores.commitment, scores.commitment)
  for (const { commitment, bytes } of [own, scores]) serve(commitment.contentId, bytes)
  setRound(ROUND + 3)
  await takeCommitted(ROUND, 'rollouts')
  await takeCommitted(ROUND, 'scores')
  await until(() => counts().kept === 2 && counts().refused.unavailable === 1)
  expect(await page()).toMatchObject({ groups: [{ peerId: honest }], evaluators: [{ peerId: honest }] })
  expect(fetched).toHaveLength(3)
  announce(own.announcement)
  serve(away.commitment.contentId, away.bytes)
  await takeCommitted(ROUND, 'rollouts')
  await until(() => counts().kept === 3)
  expect(fetched).toHaveLength(4)
  // Those of a round in one call, and that of a registered key once.
  expect(asked.map(keys => keys.length)).toEqual([3, 1])
  expect(asked[1]).toEqual([nobody.peerKey])
})

test('all parts of an evaluator are kept, each once, and a page shows the votes of all', async () => {
  const { announce, commit, until, counts, page, fetched, takeCommitted, setRound } = await gateway()
  const scored = Array.from({ length: 3 }, (_, at): Hex => `0x${String(at).padStart(64, '0')}`)
  const parts = await Promise.all(scored.map(peerKey => scoreSheetOf(honest, [peerKey])))
  for (const { announcement, bytes } of parts) announce(announcement, bytes)
  commit('scores', ...parts.map(({ commitment }) => commitment))
  await until(() => counts().kept === 3)
  setRound(ROUND + 3)
  for (const { announcement } of parts) announce(announcement)
  await takeCommitted(ROUND, 'scores')
  await until(() => counts().waiting === 0)
  expect(fetched).toHaveLength(3)
  const { evaluators = [], omitted } = (await page()) ?? {}
  expect(evaluators.map(({ peerId }) => peerId)).toEqual([honest])
  expect(evaluators[0]?.votes.map(({ peerKey }) => peerKey).sort()).toEqual(scored)
  expect(omitted).toBe(0)
})
