import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { environmentFrom, presets } from '#environments/codezero/presets.ts'
import type { Environment } from '#environments/environment.ts'
import type { GroupStepOptions } from '#rl/groupStep.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import type { CheckedGroup } from '../draws/checkRollouts.ts'
import { REFUTED } from '../models/learningRules.ts'
import type { ScoredGroup } from './chooseLessons.ts'
import { createLearner, type Learner } from './learner.ts'
import { learnRound, type RoundLessons } from './learnRound.ts'
import { createQuarantine, QUARANTINE_ROUNDS } from './quarantine.ts'
import { createTrust } from './trust.ts'

const keyOf = (peer: number): Hex => `0x${String(peer).padStart(64, '0')}`

const group = (name: string) =>
  ({
    task: { taskHash: name, problem: {}, ref: { peerKey: name } },
    rollouts: [0, 1].map(index => ({
      index,
      text: '',
      ended: true,
      promptTokens: Int32Array.of(1),
      completionTokens: Int32Array.of(1, 2),
      logprobs: Float32Array.of(-1, -1),
    })),
  }) as unknown as CheckedGroup

/** Event at an update, or at a request for scores; without one it succeeds. */
type Event = 'throws' | 'fails' | 'is refuted' | 'has no gradient' | 'loses the worker'

/**
 * A solver with the starter's rules that learns in rounds from its own groups `own` and those of some peers, each named by a letter. `-` is one
 * without groups, and at `!` something else that uses the worker ends it.
 */
function openSolver(events: (update: string, nth: number) => Event | undefined) {
  const journal = createJournal(openDatabase(':memory:'), createManualClock())
  const [updates, tried]: [string[], string[]] = [[], []]
  let setbacks = 0
  const loseWorker = () => {
    setbacks++
    kept = []
  }
  /** Updates in the policy. */
  let kept: string[] = []
  const scored = (groups: readonly CheckedGroup[]) =>
    groups.map(one => ({ ...one, rewards: [0.4, 0.6], correctness: [0.2, 0.3] }) as unknown as ScoredGroup)
  const learner: Learner = {
    async score(groups) {
      const name = `score ${groups[0]?.task.taskHash}`
      tried.push(name)
      if (events(name, tried.filter(one => one === name).length) === 'throws') throw new Error('no judge')
      return scored(groups)
    },
    async learn(groups, own) {
      const name = String(groups[0]?.task.taskHash)
      updates.push(name)
      const event = events(name, updates.filter(one => one === name).length)
      if (event === 'loses the worker') loseWorker()
      if (event === 'throws' || event === 'loses the worker') throw new Error(event)
      if (event === 'fails') return { failure: 'too far', updates: 0, taken: 0 }
      if (event === 'is refuted') return { failure: REFUTED, updates: 0, taken: 0 }
      if (event === 'has no gradient') return { failure: null, updates: 0, taken: 0 }
      kept.push(name)
      return { failure: null, updates: 1, taken: groups.length - own }
    },
    setbacks: () => setbacks,
  }
  const logger = silentLogger
  const quarantine = createQuarantine({ journal, logger })
  const modules = {
    ...{ learner, quarantine, trust: createTrust({ journal }), logger, vocabSize: 300 },
    signal: new AbortController().signal,
  }
  return {
    updates,
    quarantine,
    async round(peers: string, round = 7, until = new AbortController().signal) {
      updates.length = 0
      kept = []
      async function* others() {
        for (const [at, peer] of [...peers].entries())
          if (peer === '!') loseWorker()
          else yield { peerKey: keyOf(at), groups: peer === '-' ? [] : [group(peer)] }
      }
      const lessons: RoundLessons = { round, spec: presets.starter, own: [group('own')], others: others(), until }
      const report = await learnRound(modules, lessons)
      expect(report.updates, 'what the report says is in the policy').toBe(kept.length)
      return { ...report, updates: updates.join(' ') }
    },
  }
}

const held = ({ quarantine }: ReturnType<typeof openSolver>) => [0, 1, 2].map(peer => quarantine.holds(keyOf(peer), 9))

test.each([
  ['abc', 'own own a a b b c c', 8],
  ['ab-', 'own own a a b b own own', 8],
  ['a--', 'own own a a own own', 6],
  ['---', 'own own own own', 4],
])('with the groups of %s the starter’s solver makes the updates %s', async (peers, expected) => {
  expect((await openSolver(() => undefined).round(peers)).updates).toBe(expected)
})

test.each(['throws', 'fails'] as const)(
  'a second update on the same groups that %s is made up, and nobody’s fault',
  async event => {
    const solver = openSolver((update, nth) => (update === 'b' && nth === 2 ? event : undefined))
    for (const round of [7, 8])
      expect(await solver.round('abc', round)).toMatchObject({
        updates: 'own own a a b b c c own',
        taken: 3,
        refused: {},
      })
    expect(held(solver)).toEqual([false, false, false])
  },
)

test('a first update whose claims are refuted is the peer’s fault, and one that fails or throws if it happens again', async () => {
  const refuted = openSolver(update => (update === 'b' ? 'is refuted' : undefined))
  expect(await refuted.round('abc')).toMatchObject({ updates: 'own own a a b c c own own', refused: { [REFUTED]: 1 } })
  expect(held(refuted)).toEqual([false, true, false])

  for (const event of ['fails', 'throws'] as const) {
    const failing = openSolver(update => (update === 'b' ? event : undefined))
    await failing.round('abc', 7)
    // The same round again, after a stop.
    await failing.round('abc', 7)
    expect(held(failing)).toEqual([false, false, false])
    await failing.round('abc', 8)
    expect(held(failing)).toEqual([false, true, false])
  }
})

test('a judge that cannot be asked for a while puts nobody in quarantine', async () => {
  const solver = openSolver((update, nth) => (/score [abc]/.test(update) && nth === 1 ? 'throws' : undefined))
  expect(await solver.round('abc')).toMatchObject({ taken: 0, refused: { 'the update failed': 3 } })
  expect(held(solver)).toEqual([false, false, false])
  expect(await solver.round('abc', 8)).toMatchObject({ taken: 3, refused: {} })
})

test('suspicion ends after as many rounds as a quarantine', async () => {
  const solver = openSolver(update => (update === 'a' ? 'throws' : undefined))
  await solver.round('a', 7)
  await solver.round('a', 7 + QUARANTINE_ROUNDS)
  expect(solver.quarantine.holds(keyOf(0), 8 + QUARANTINE_ROUNDS)).toBe(false)
  await solver.round('a', 6 + 2 * QUARANTINE_ROUNDS)
  expect(solver.quarantine.holds(keyOf(0), 7 + 2 * QUARANTINE_ROUNDS)).toBe(true)
})

test('updates that are lost with the worker do not count, and those on the own groups are repeated', async () => {
  const solver = openSolver((update, nth) => (update === 'b' && nth === 1 ? 'loses the worker' : undefined))
  expect(await solver.round('abc')).toMatchObject({ updates: 'own own a a b own own c c own own', taken: 1 })
  const last = openSolver((update, nth) => (update === 'c' && nth === 2 ? 'loses the worker' : undefined))
  expect(await last.round('abc')).toMatchObject({ updates: 'own own a a b b c c own own own own', taken: 0 })
  const own = openSolver((update, nth) => (update === 'own' && nth === 1 ? 'loses the worker' : undefined))
  expect(await own.round('a')).toMatchObject({ updates: 'own own own a a', taken: 1, refused: {} })
  const always = openSolver(update => (update === 'own' ? 'loses the worker' : undefined))
  const refused = { 'own groups: the update failed': 1 }
  expect(await always.round('ab')).toMatchObject({ updates: 'own own a a b b', taken: 2, refused })
})

test('updates that are lost while groups of others are waited for do not count either', async () => {
  const solver = openSolver(() => undefined)
  expect(await solver.round('a!b')).toMatchObject({ updates: 'own own a a own own b b own own', taken: 1 })
  expect(await solver.round('ab!')).toMatchObject({ updates: 'own own a a b b own own own own', taken: 0 })
})

test('updates that are lost while others are made up are repeated, and one that is lost twice is not reported', async () => {
  const once = openSolver((update, nth) => (update === 'own' && nth === 3 ? 'loses the worker' : undefined))
  expect(await once.round('a-')).toMatchObject({ updates: 'own own a a own own own', taken: 0 })
  const twice = openSolver((update, nth) => (update === 'own' && nth >= 3 ? 'loses the worker' : undefined))
  expect(await twice.round('a-')).toMatchObject({ updates: 'own own a a own own', taken: 0 })
})

test('once the time is up, groups are learned from once, and nothing is made up', async () => {
  const solver = openSolver(() => undefined)
  expect((await solver.round('abc', 7, AbortSignal.abort())).updates).toBe('own a b c')
})

test('groups without a gradient are tried once', async () => {
  const solver = openSolver(() => 'has no gradient')
  expect(await solver.round('ab')).toMatchObject({ updates: 'own a b own', taken: 0, refused: {} })
})

test('updates that are lost with the worker lower no rate that depends on their number', async () => {
  const training = { ...presets.starter.training, ownUpdates: 1, warmUpRounds: 0 }
  const sharing = { ...presets.starter.sharing, updatesPerPeer: 1, learningRateScaling: 'squareRoot' } as const
  const spec = environmentFrom('starter', { training, sharing })
  const [logger, clock] = [silentLogger, createManualClock()]
  const journal = createJournal(openDatabase(':memory:'), clock)
  let [setbacks, rates]: [number, number[]] = [0, []]
  let dyingAt = 0
  const policyStep = async (groups: readonly unknown[], { learningRate }: GroupStepOptions) => {
    rates.push((learningRate as number) / training.learningRate)
    if (rates.length === dyingAt) {
      setbacks += 1
      throw new Error('the worker died')
    }
    const undone = { kl: null, clipFraction: null, undone: false, refuted: 0 }
    return { groupsUsed: 1, groupsDropped: 0, haveGradient: groups.map(() => true), step: null, ...undone }
  }
  const learner = createLearner(
    { environment: { spec } as unknown as Environment, journal, training: { note: () => {} }, clock },
    { policyStep, setbacks: () => setbacks } as unknown as PolicyClient,
    { score: async answers => answers.map((_, i) => ({ score: i % 2, correctness: i % 2, components: {} })) },
  )
  const modules = {
    ...{ learner, quarantine: createQuarantine({ journal, logger }), trust: createTrust({ journal }), logger },
    ...{ vocabSize: 300, signal: new AbortController().signal },
  }
  async function* others() {
    for (const peer of [0, 1, 2, 3, 4]) yield { peerKey: keyOf(peer), groups: [group(String(peer))] }
  }
  const ratesOf = async (round: number, dies = 0) => {
    rates = []
    dyingAt = dies
    await learnRound(modules, { round, spec, own: [group('own')], others: others(), until: modules.signal })
    return rates
  }
  const roots = (...counts: number[]) => counts.map(updates => expect.closeTo(1 / Math.sqrt(updates), 12))
  expect(await ratesOf(7)).toEqual(roots(1, 2, 3, 4, 5, 6))
  // The last update on others dies, and four on the own groups take the places of all.
  expect(await ratesOf(8, 6)).toEqual(roots(6, 6, 6, 6, 6, 6, 6, 6, 6, 6))
  expect(await ratesOf(9)).toEqual(roots(5, 5, 5, 5, 5, 6))
})
