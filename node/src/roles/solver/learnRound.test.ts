import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Clock, systemClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { createLogger } from '#core/logger.ts'
import { readAhead } from '#core/readAhead.ts'
import { drawTrainingTask } from '#environments/codezero/curriculum/drawTask.ts'
import { environmentFrom, presets } from '#environments/codezero/presets.ts'
import type { Environment, Judge } from '#environments/environment.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import { seededRandom } from '#environments/seededRandom.ts'
import { ChatServerError } from '#hub/chatServer/chatServerError.ts'
import { formatDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { writeWeights } from '#model/decoder/weights.ts'
import { groupStep } from '#rl/groupStep.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import { openWholePolicy } from '#rl/policy/wholePolicy.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import type { CheckedGroup } from '../draws/checkRollouts.ts'
import { createLearner, type Learner } from './learner.ts'
import { learnRound, type PeerGroups, type RoundLessons } from './learnRound.ts'
import { MOST_OWN_UPDATES } from './peerByPeer.ts'
import { createQuarantine, QUARANTINE_ROUNDS } from './quarantine.ts'
import { scoreAhead } from './takeGroups.ts'
import { createTrust } from './trust.ts'

const clock = { nowMs: () => 0 } as Clock
/** One update on all groups. */
const training = { ...presets.starter.training, ownUpdates: 1 }
const { updatesPerPeer: _, ...sharing } = presets.starter.sharing
const spec = environmentFrom('starter', { training: { ...training, minGroupDeviation: 0 }, sharing })
const problem = drawTrainingTask(3, seededRandom('learn round'))

/** Two answers that score apart, the first being fenced; of each token `logprob` is claimed. */
function group(name: string, logprob = -1.5, first = 1): CheckedGroup {
  const rollouts = ['```python\n', 'no code'].map((text, index) => ({
    index,
    text,
    ended: index === 0,
    promptTokens: Int32Array.of(1, 2),
    completionTokens: Int32Array.of(first, 3 + index, 5, 7, 11 - index),
    logprobs: new Float32Array(5).fill(logprob),
  }))
  return { task: { taskHash: name, problem, ref: { peerKey: name } }, rollouts } as unknown as CheckedGroup
}

const keyOf = (peer: number): Hex => `0x${String(peer).padStart(64, '0')}`

function openModules(learner: Learner, path = ':memory:') {
  const lines: string[] = []
  const logger = createLogger({ write: line => lines.push(line), format: 'json', level: 'info', clock })
  const journal = createJournal(openDatabase(path), clock)
  const quarantine = createQuarantine({ journal, logger })
  const trust = createTrust({ journal })
  const { signal } = new AbortController()
  return { learner, quarantine, trust, logger, vocabSize: tinyConfig.vocabSize, signal, lines, journal }
}

async function* peers(...lists: CheckedGroup[][]) {
  for (const [peer, groups] of lists.entries()) yield { peerKey: keyOf(peer), groups }
}

/** Rewards of both answers of a group. */
type Rewards = readonly [number, number]

/** Notes what each update was given; those with a group named in `fails` throw. Groups without rewards of their own have 0.4 and 0.6. */
function noting(fails: string[] = [], rewards: Record<string, Rewards> = {}) {
  const updates: { groups: string[]; own: number }[] = []
  const mostNats: (number | null | undefined)[] = []
  const learner: Learner = {
    score: async groups =>
      groups.map(group => ({
        ...group,
        rewards: rewards[group.task.taskHash] ?? [0.4, 0.6],
        correctness: [0.2, 0.3],
        family: String(group.task.taskHash) === 'a' ? 'logic' : 'add',
      })),
    async learn(groups, own, { mostNats: most }) {
      mostNats.push(most)
      const names = groups.map(({ task }) => String(task.taskHash))
      updates.push({ groups: names, own })
      if (names.some(name => fails.includes(name))) throw new Error(`no lesson in ${names}`)
      const differ = groups.map(({ rewards: [one, other] }) => one !== other)
      return { failure: null, updates: differ.includes(true) ? 1 : 0, taken: differ.slice(own).filter(Boolean).length }
    },
    setbacks: () => 0,
  }
  return { updates, mostNats, ...openModules(learner) }
}

const own = [group('a'), group('b')]
/** Families of the own groups. */
const families = { logic: 0.25, add: 0.25 }
const [c, d, e] = [group('c'), group('d'), group('e')]
type Sharing = EnvironmentSpec['sharing']
const round = (
  lessons: Partial<RoundLessons>,
  mode: Sharing['mode'] = 'updateForEachPeer',
  { externalGroups = null as number | null, updatesPerPeer, ...learning }: Partial<typeof training & Sharing> = {},
): RoundLessons => ({
  round: 7,
  spec: { training: { ...training, ...learning }, sharing: { ...sharing, mode, externalGroups, updatesPerPeer } },
  own,
  others: peers(),
  until: new AbortController().signal,
  ...lessons,
})

test('updateForEachPeer: the own groups first, then an update for each peer', async () => {
  const { updates, ...modules } = noting()
  const report = await learnRound(modules, round({ others: peers([c, d], [e]) }))
  expect(updates).toEqual([
    { groups: ['a', 'b'], own: 2 },
    { groups: ['c', 'd'], own: 0 },
    { groups: ['e'], own: 0 },
  ])
  expect(report).toEqual({ meanReward: 0.5, averageAtK: 0.25, families, taken: 3, updates: 3, refused: {} })
})

test('answers of others count in full up to three times the nats a token of the own ones, and 0.3 at least', async () => {
  const { mostNats, ...modules } = noting()
  await learnRound(modules, round({ others: peers([c], [d]) }))
  await learnRound(modules, round({ others: peers([c], [d]) }, 'mixed'))
  await learnRound(modules, round({ own: [group('a', -0.01)], others: peers([group('c', -0.01)]) }))
  // Without own scores only right answers would count.
  await learnRound(modules, round({ own: [], others: peers([c]) }))
  expect(mostNats).toEqual([undefined, 4.5, 4.5, 4.5, undefined, expect.closeTo(0.3, 9)])
})

test('own groups have as many updates as the specification says', async () => {
  const { updates, ...modules } = noting()
  const report = await learnRound(modules, round({ others: peers([c]) }, 'updateForEachPeer', { ownUpdates: 3 }))
  expect(updates.map(({ own }) => own)).toEqual([2, 2, 2, 0])
  expect(report.updates).toBe(4)
})

test('groups of each peer have as many updates as the specification says, and one without groups leaves as many to the own ones', async () => {
  const { updates, ...modules } = noting()
  const twice = round({ others: peers([c], [], [d]) }, 'updateForEachPeer', { updatesPerPeer: 2 })
  const report = await learnRound(modules, twice)
  expect(updates.map(({ groups }) => groups.join(''))).toEqual(['ab', 'c', 'c', 'd', 'd', 'ab', 'ab'])
  expect(report).toMatchObject({ taken: 2, updates: 7 })
})

test('mixed: own groups have one update, with groups of others or without, and if the one for all fails', async () => {
  const ownIn = async (fails: string[], ...lists: CheckedGroup[][]) => {
    const { updates, ...modules } = noting(fails)
    await learnRound(modules, round({ others: peers(...lists) }, 'mixed', { ownUpdates: 3 }))
    return updates.filter(({ own }) => own > 0).map(({ groups }) => groups.join(''))
  }
  expect(await ownIn([], [c])).toEqual(['abc'])
  expect(await ownIn([])).toEqual(['ab'])
  expect(await ownIn(['c'], [c], [d])).toEqual(['abcd', 'ab'])
})

test('mixed: own and taken groups share one update, and with nothing to take the own ones have it alone', async () => {
  const { updates, ...modules } = noting()
  const report = await learnRound(modules, round({ others: peers([c], [d]) }, 'mixed'))
  expect(report).toEqual({ meanReward: 0.5, averageAtK: 0.25, families, taken: 2, updates: 1, refused: {} })
  expect((await learnRound(modules, round({}, 'mixed'))).taken).toBe(0)
  expect(updates).toEqual([
    { groups: ['a', 'b', 'c', 'd'], own: 2 },
    { groups: ['a', 'b'], own: 2 },
  ])
})

test('mixed: so many own and external groups as the specification says, those with the most signal, by trust in the peer', async () => {
  const rewards = { a: [0.5, 0.5], c: [0, 0.8], d: [0.2, 0.8], e: [0, 0.9] } as const
  const { updates, trust, ...modules } = noting([], rewards)
  const lessons = () => round({ others: peers([c], [d], [e]) }, 'mixed', { ownGroups: 1, externalGroups: 2 })
  const report = await learnRound({ ...modules, trust }, lessons())
  expect(updates.at(-1)).toEqual({ groups: ['b', 'c', 'e'], own: 1 })
  expect(report).toMatchObject({ taken: 2, refused: {} })
  for (let later = 100; later < 108; later++) trust.note(keyOf(2), later, 0.1, 0.5)
  await learnRound({ ...modules, trust }, lessons())
  expect(updates.at(-1)).toEqual({ groups: ['b', 'c', 'd'], own: 1 })
})

test.each(['updateForEachPeer', 'mixed'] as const)(
  '%s: a peer whose groups fail costs itself alone, and is left out if it happens again',
  async mode => {
    const { updates, lines, ...modules } = noting(['c'])
    const report = await learnRound(modules, round({ others: peers([c], [d], [e]) }, mode))
    expect(report).toMatchObject({ meanReward: 0.5, averageAtK: 0.25, taken: 2, refused: { 'the update failed': 1 } })
    expect(updates.filter(({ own }) => own === 0).at(-1)).toEqual({ groups: ['e'], own: 0 })
    // Once may be this machine's fault.
    const held = () => [0, 1, 2].map(peer => modules.quarantine.holds(keyOf(peer), 9))
    expect(held()).toEqual([false, false, false])
    await learnRound(modules, { ...round({ others: peers([c], [d], [e]) }, mode), round: 8 })
    expect(held()).toEqual([true, false, false])
    expect(lines.join()).toContain('nothing is learned from this peer for some rounds')
  },
)

test.each(['updateForEachPeer', 'mixed'] as const)(
  '%s: a group without a gradient is not taken, and none is if nothing has one',
  async mode => {
    const [one, other] = [group('equal'), group('same')]
    const equal = { equal: [0.5, 0.5], same: [0.5, 0.5] } as const
    const takenOf = async (rewards: Record<string, Rewards>, ...lists: CheckedGroup[][]) => {
      const { updates: _, ...modules } = noting([], rewards)
      const { taken } = await learnRound(modules, round({ others: peers(...lists) }, mode, { updatesPerPeer: 2 }))
      return taken
    }
    expect(await takenOf(equal, [c, one], [other])).toBe(1)
    expect(await takenOf({ ...equal, a: [0.1, 0.1], b: [0.1, 0.1] }, [one], [other])).toBe(0)
    expect(await takenOf(equal, [one, other])).toBe(0)
  },
)

test.each(['updateForEachPeer', 'mixed'] as const)(
  '%s: a wrong answer is not taught by worse ones next to it',
  async mode => {
    const { updates, ...modules } = noting([], { wrong: [0.2, 0] })
    const others = () => peers([group('wrong'), c], [group('wrong')])
    expect(await learnRound(modules, round({ others: others() }, mode))).toMatchObject({ taken: 1, refused: {} })
    expect(updates.flatMap(({ groups }) => groups)).not.toContain('wrong')
  },
)

const nats = (each: number, count = 1) => Array.from({ length: count }, (_, i) => group(`n${i}`, -each))

test('updateForEachPeer: a peer that gives nothing to learn from, fails or is left out costs no update, as far as own groups are learned from', async () => {
  const ownIn = async (...lists: CheckedGroup[][]) => {
    const { updates, ...modules } = noting(['e'], { equal: [0.5, 0.5] })
    const report = await learnRound(modules, round({ others: peers(...lists) }))
    return { own: updates.filter(({ own }) => own > 0).length, updates: report.updates }
  }
  expect(await ownIn([c], [d])).toEqual({ own: 1, updates: 3 })
  expect(await ownIn([c], [])).toEqual({ own: 2, updates: 3 })
  expect(await ownIn([c], [e])).toEqual({ own: 2, updates: 3 })
  expect(await ownIn([c], [group('equal')])).toEqual({ own: 2, updates: 3 })
  expect(await ownIn([c], [group('absurd', -10_000)], nats(10))).toEqual({ own: 3, updates: 4 })
  const nobody = Array.from({ length: 8 }, () => [])
  expect(await ownIn(...nobody)).toEqual({ own: MOST_OWN_UPDATES, updates: MOST_OWN_UPDATES })
})

test.each(['updateForEachPeer', 'mixed'] as const)(
  '%s: groups without an answer as good as own ones are left out, and those of them with a gradient counted',
  async mode => {
    const { updates, ...modules } = noting([], { c: [0.1, 0.2], d: [0.1, 0.1] })
    const { refused, taken } = await learnRound(modules, round({ others: peers([c, d, e]) }, mode))
    expect(updates.flatMap(({ groups }) => groups)).toEqual(['a', 'b', 'e'])
    expect({ refused, taken }).toEqual({
      refused: { 'no answer of the group is right, or as good as own ones': 1 },
      taken: 1,
    })
  },
)

test('no update is made up once the time is up, where the own groups fail, or where own and taken groups share one', async () => {
  const ownIn = async (mode: Sharing['mode'], fails: string[], until = new AbortController().signal) => {
    const { updates, ...modules } = noting(fails)
    await learnRound(modules, round({ others: peers([], [c], []), until }, mode))
    return updates.filter(({ own }) => own > 0).length
  }
  expect(await ownIn('updateForEachPeer', [], AbortSignal.abort())).toBe(1)
  expect(await ownIn('mixed', [])).toBe(1)
  expect(await ownIn('updateForEachPeer', ['a'])).toBe(2)
})

test('answers that are put under a prompt are left out by what is truly claimed of them, without a quarantine; those of another policy count', async () => {
  const refusedOf = async (theirs: CheckedGroup[], mine: CheckedGroup[]) => {
    const { updates: _, ...modules } = noting()
    const { refused, taken } = await learnRound(modules, round({ own: mine, others: peers(theirs) }))
    expect(modules.quarantine.holds(keyOf(0), 8)).toBe(false)
    return { refused, taken, trust: modules.trust.of(keyOf(0)) < 0.5 }
  }
  const unlikely = { 'answers are less likely than those that a policy samples': 2 }
  expect(await refusedOf(nats(0.66, 2), nats(0.08))).toEqual({ refused: unlikely, taken: 0, trust: true })
  // Empty answers next to them change nothing.
  const padded = nats(0.4, 2).map(({ task, rollouts: [first, second] }) => ({
    ...{ task, rollouts: [first, { ...second, completionTokens: new Int32Array(), logprobs: new Float32Array() }] },
  }))
  expect(await refusedOf(padded as CheckedGroup[], nats(0.08))).toMatchObject({ refused: unlikely, taken: 0 })
  expect(await refusedOf(nats(0.16, 2), nats(0.08))).toEqual({ refused: {}, taken: 2, trust: false })
  expect(await refusedOf(nats(0.25, 2), nats(0.001))).toEqual({ refused: {}, taken: 2, trust: false })
  expect(await refusedOf(nats(2, 2), nats(1))).toEqual({ refused: {}, taken: 2, trust: false })
})

test.each(['updateForEachPeer', 'mixed'] as const)(
  '%s: where reading the groups of others fails, the round keeps what it learned and learns from those that arrived',
  async mode => {
    const { updates: _, lines, ...modules } = noting()
    async function* others() {
      yield* peers([c])
      throw new Error('the chain gave no valid answer')
    }
    const report = await learnRound(modules, round({ others: others() }, mode))
    expect(report).toMatchObject({ meanReward: 0.5, taken: 1, updates: mode === 'mixed' ? 1 : 2 })
    expect(lines.join()).toContain('the chain gave no valid answer')
    const signal = AbortSignal.abort()
    await expect(learnRound({ ...modules, signal }, round({ others: others() }, mode))).rejects.toThrow('no valid')
  },
)

test('own groups that fail end nothing, and failures together with them are nobody’s fault', async () => {
  const { updates, lines, ...modules } = noting(['a', 'c'])
  const report = await learnRound(modules, round({ others: peers([c], [d]) }))
  expect(report).toMatchObject({ taken: 1, refused: { 'own groups: the update failed': 2, 'the update failed': 1 } })
  expect(modules.quarantine.holds(keyOf(0), 8)).toBe(false)
  expect(lines.join()).toContain('no lesson in a,b')
})

test("answers that a judge's server could not score make nobody suspect", async () => {
  const { updates, ...modules } = noting()
  const down = new ChatServerError('SERVER_OFFLINE', 'x cannot be reached.')
  const learner: Learner = {
    ...modules.learner,
    score: async groups => (groups.length > 0 ? Promise.reject(down) : []),
  }
  for (const now of [7, 8]) {
    const report = await learnRound({ ...modules, learner }, { ...round({ own: [], others: peers([c]) }), round: now })
    expect(report).toMatchObject({ taken: 0, refused: { "the judge's server failed": 1 } })
  }
  expect(modules.quarantine.holds(keyOf(0), 9)).toBe(false)
  expect(updates).toEqual([])
})

test('a quarantine is kept over a restart, and ends', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waggle-quarantine-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'journal.sqlite')
  openModules(noting().learner, path).quarantine.put(keyOf(1), 7, 'a fault')
  const { quarantine } = openModules(noting().learner, path)
  expect(quarantine.holds(keyOf(1), 7 + QUARANTINE_ROUNDS)).toBe(true)
  expect(quarantine.holds(keyOf(1), 8 + QUARANTINE_ROUNDS)).toBe(false)
  quarantine.put(keyOf(2), 8 + QUARANTINE_ROUNDS, 'another')
  expect(openModules(noting().learner, path).journal.getState('quarantine')).toEqual({
    [keyOf(2)]: { until: 8 + 2 * QUARANTINE_ROUNDS, reason: 'another' },
  })
})

/** A tiny policy that learns by the product's own code; its judge has no opinion. */
async function tinyLearner() {
  const folder = await mkdtemp(join(tmpdir(), 'waggle-learner-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'config.json'), JSON.stringify(formatDecoderConfig(tinyConfig)))
  await writeWeights(join(folder, 'model.safetensors'), tinyWeights(), 'F32')
  const policy = await openWholePolicy(folder, folder, { threads: 1, device: 'cpu', adamW: {} })
  onTestFinished(() => policy.dispose())
  const client: Pick<PolicyClient, 'policyStep' | 'setbacks'> = {
    policyStep: async (...step) => groupStep(policy.trainer, ...step),
    setbacks: () => 0,
  }
  // Scores answers apart, in no other way than by their form.
  const judge: Judge = {
    score: async answers =>
      answers.map(({ ended }) => ({ components: { ended: Number(ended) }, score: ended ? 0.1 : 0, correctness: 0 })),
  }
  const { journal } = openModules(noting().learner)
  const environment = { spec } as unknown as Environment
  const training = { note: () => {} }
  const learner = createLearner({ environment, journal, training, clock: systemClock }, client as PolicyClient, judge)
  return { policy, ...openModules(learner) }
}

/** The policy's hash after a round, and the outcome of the groups. */
async function learned(mode: Sharing['mode'], ...others: CheckedGroup[][]) {
  const { policy, ...modules } = await tinyLearner()
  const report = await learnRound(modules, round({ others: peers(...others) }, mode))
  return { hash: await policy.weightsHash(), ...report }
}

test.each(['updateForEachPeer', 'mixed'] as const)(
  '%s: forged log-probabilities leave no trace in the policy',
  async mode => {
    const silent = Array.from({ length: 5 }, () => [])
    const honest = await learned(mode, ...silent, [c])
    const ownAlone = await learned(mode)
    expect(honest.hash).not.toBe(ownAlone.hash)
    const absurd = [-12, -10_000, Number.NEGATIVE_INFINITY, Number.NaN, 1].map((claim, i) => [group(`f${i}`, claim)])
    const attacked = await learned(mode, ...absurd, [c])
    expect(attacked.hash).toBe(honest.hash)
    expect(attacked.refused).toEqual({
      'claimed log-probabilities are below what any sampler would draw': 2,
      'a claimed log-probability is not finite': 2,
      'a claimed log-probability is positive': 1,
    })
  },
)

test('mixed: the policy does not depend on the order in which groups arrive', async () => {
  const theirs = [1, 4, 6].map((first, peer) => ({ peerKey: keyOf(peer), groups: [group(`g${first}`, -1.5, first)] }))
  const hashOf = async (arriving: PeerGroups[]) => {
    const { policy, ...modules } = await tinyLearner()
    async function* others() {
      yield* arriving
    }
    await learnRound(modules, round({ others: others() }, 'mixed', { externalGroups: 2 }))
    return policy.weightsHash()
  }
  expect(await hashOf(theirs.toReversed())).toBe(await hashOf(theirs))
})

test.each(['updateForEachPeer', 'mixed'] as const)(
  '%s: groups that were scored ahead make the same policy, and the same of each peer',
  async mode => {
    const lists = [[c, group('absurd', -10_000)], [], [d], [e], nats(5)]
    const learnedFrom = async (ahead: boolean) => {
      const { policy, ...modules } = await tinyLearner()
      let scorings = 0
      const learner: Learner = {
        ...modules.learner,
        async score(groups) {
          scorings += 1
          return modules.learner.score(groups)
        },
      }
      const others = ahead ? readAhead(scoreAhead(peers(...lists), { ...modules, learner })) : peers(...lists)
      const report = await learnRound({ ...modules, learner }, round({ others }, mode))
      const trust = lists.map((_, peer) => modules.trust.of(keyOf(peer)))
      const held = lists.map((_, peer) => modules.quarantine.holds(keyOf(peer), 8))
      return { scorings, learned: { hash: await policy.weightsHash(), report, trust, held } }
    }
    const [after, ahead] = [await learnedFrom(false), await learnedFrom(true)]
    expect(ahead.learned).toEqual(after.learned)
    // Answers that turn out to be unlikely were scored too.
    expect([after.scorings, ahead.scorings]).toEqual([4, 5])
  },
)

test('groups that could not be scored ahead are scored when they are learned from', async () => {
  const { updates, ...modules } = noting()
  let isFailing = true
  const learner: Learner = {
    ...modules.learner,
    async score(groups) {
      if (isFailing) throw new Error('the judge died')
      return modules.learner.score(groups)
    },
  }
  const others: PeerGroups[] = []
  for await (const theirs of scoreAhead(peers([c], [d]), { ...modules, learner })) others.push(theirs)
  isFailing = false
  async function* given() {
    yield* others
  }
  expect(await learnRound({ ...modules, learner }, round({ others: given() }))).toMatchObject({ taken: 2, refused: {} })
  expect(updates).toHaveLength(3)
})
