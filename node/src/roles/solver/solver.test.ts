import { expect, test } from 'vitest'
import type { RoundTime } from '#chain/rounds/roundClock.ts'
import { createManualClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { environmentFrom } from '#environments/codezero/presets.ts'
import type { Judge } from '#environments/environment.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import type { PeerNode } from '../peerNode.ts'
import { noteCommitted } from '../reports/twin.ts'
import { createSamplingTime } from './samplingTime.ts'
import { runSolver } from './solver.ts'

const peerKey: Hex = `0x${'11'.repeat(32)}`
const clock = createManualClock()
/** Answers about a beacon that come first: null if it is not known. */
const beacons: null[] = []
const LEFT_OUT = 'this round is left out: the last sampling took longer than what is left of it'
const PLAYED = 'no task in this round'

const time = (round: number, passed: number): RoundTime => ({
  ...{ round, block: 1, startsAtSec: 0, endsAtSec: 100, nowSec: passed * 100 },
})

/** The lines that a solver logs of the rounds that it begins when so much of them has passed, and the rounds that it names a policy for. */
async function playedAt(journal: PeerNode['journal'], unpaid: string | null, ...begun: number[]) {
  const stop = new AbortController()
  const said: string[] = []
  const named: number[] = []
  const say = (message: string) => void said.push(message)
  const node = {
    ...{ journal, clock, chainId: 1, countsFrom: 0, identity: { peerKey }, signal: stop.signal },
    logger: { info: say, warn: say, error: (_: string, { error }: { error: Error }) => say(error.message), debug() {} },
    chain: {
      rounds: {
        async waitFor(next: number) {
          const passed = begun.shift()
          if (passed === undefined) stop.abort()
          stop.signal.throwIfAborted()
          return time(Math.max(7, next), passed ?? 0)
        },
      },
      readBeacon: async () =>
        beacons.pop() === null ? { state: 'none', hash: null } : { state: 'drawn', hash: peerKey },
      readProposals: async () => [],
      commitPolicy: async (round: number) => {
        named.push(round)
        return { status: 'mined', hash: peerKey, block: 1 }
      },
    },
    environment: { spec: environmentFrom('starter'), format: {}, proposals: null, roundTasks: async () => [] },
    bundles: { put: async () => peerKey, forget: async () => {}, pruneBefore: async () => {}, needFrom: async () => 0 },
    disk: { untilWritable: async () => {}, isFault: () => false },
    sealed: { open: () => [] },
    playsIn: async () => true,
    setRound: () => {},
  } as unknown as PeerNode
  const policy = { weightsHash: async () => peerKey, publish: async () => new Uint8Array(1) } as unknown as PolicyClient
  await runSolver(node, policy, {} as Judge, { data: '', trained: 'weights', unpaid })
  return { said: said.filter(line => line !== 'policy named'), named }
}

/** A journal of a solver whose last sampling took this long. */
async function journalAfter(samplingMs: number) {
  const journal = createJournal(openDatabase(':memory:'), clock)
  await createSamplingTime({ clock, journal, logger: {} as never }).measure(async () => clock.advance(samplingMs))
  return journal
}

test('a round is left out if the last sampling would not fit into what is left of it, and the next one is named and played', async () => {
  expect(await playedAt(await journalAfter(10_000), null, 0.95, 0)).toEqual({ said: [LEFT_OUT, PLAYED], named: [8, 9] })
  expect((await playedAt(await journalAfter(10_000), null, 0.85)).said).toEqual([PLAYED])
})

test('a sampling that would not fit into a whole round either is tried each time', async () => {
  expect((await playedAt(await journalAfter(3_600_000), null, 0.5)).said).toEqual([PLAYED])
})

test('a round that was left out stays so when it is begun again', async () => {
  const journal = await journalAfter(10_000)
  expect((await playedAt(journal, null, 0.95)).said).toEqual([LEFT_OUT])
  expect((await playedAt(journal, null, 0.85)).said).toEqual([])
})

test('a round whose beacon was not known yet was not begun late', async () => {
  expect((await playedAt(await journalAfter(90_000), null, 0.2)).said).toEqual([LEFT_OUT])
  beacons.push(null)
  expect((await playedAt(await journalAfter(90_000), null, 0.2)).said).toEqual([PLAYED])
})

test('a round that is repeated after its commitment is not left out', async () => {
  const journal = await journalAfter(10_000)
  noteCommitted(journal, 7, peerKey)
  expect((await playedAt(journal, null, 0.95)).said).toEqual([PLAYED])
})

test('a first round is played whenever it begins, and so is one whose answers are not paid', async () => {
  expect((await playedAt(createJournal(openDatabase(':memory:'), clock), null, 0.95)).said).toEqual([PLAYED])
  expect((await playedAt(await journalAfter(10_000), 'a base that is not listed', 0.95)).said).toEqual([PLAYED])
})
