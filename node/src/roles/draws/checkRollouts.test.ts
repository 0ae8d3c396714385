import { deflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type Hex, ZERO_HASH } from '#core/hex.ts'
import { packTokens } from '#core/payloads/packedTokens.ts'
import { type RolloutBundle, rootOf } from '#core/payloads/payloads.ts'
import { encodeProposal } from '#core/payloads/taskProposal.ts'
import { type CodeZeroParts, codeZero } from '#environments/codezero/codeZero.ts'
import { drawHeldOutTask, drawTrainingTask } from '#environments/codezero/curriculum/drawTask.ts'
import type { Problem } from '#environments/codezero/curriculum/task.ts'
import { admitProblem, formatProposal } from '#environments/codezero/parseProposal.ts'
import { environmentFrom } from '#environments/codezero/presets.ts'
import { starterFormat } from '#environments/codezero/promptFormat.ts'
import { solverPrompt, starterSpecials } from '#environments/codezero/prompts.ts'
import type { Judge } from '#environments/environment.ts'
import { seededRandom } from '#environments/seededRandom.ts'
import { scoreRollouts } from '../checking/scoreRollouts.ts'
import { rolloutBundle } from '../solver/answerRound.ts'
import { checkRollouts, type RoundRules, roundRules } from './checkRollouts.ts'
import { admitTasks, drawTasks, type TaskPlace } from './drawTasks.ts'
import { roundSeed } from './roundSeed.ts'

/** One token a character, above the special ones: what is tested does not depend on the vocabulary. */
const tokenizer = {
  vocabSize: 300,
  encode: (text: string) => Int32Array.from([...text], character => starterSpecials.length + character.charCodeAt(0)),
  decode: (ids: ArrayLike<number>) =>
    Array.from(ids, id =>
      id < starterSpecials.length ? starterSpecials[id] : String.fromCharCode(id - starterSpecials.length),
    ).join(''),
  special: (name: string) => starterSpecials.indexOf(name as (typeof starterSpecials)[number]),
}

const chainId = 31_337
const round = 7
const proposerKey = `0x${'11'.repeat(32)}` as const
const solverKey = `0x${'22'.repeat(32)}` as const
const hash = `0x${'33'.repeat(32)}` as const
const spec = environmentFrom('starter', { tasksPerRound: 2, groupSize: 2, owedLeaves: 4, whenSilent: 'curriculum' })
const eos = tokenizer.special('<eos>')
const noJudge = { predictCorrectness: async (pairs: readonly unknown[]) => pairs.map(() => 1) }
const parts: CodeZeroParts = {
  spec,
  format: starterFormat(tokenizer),
  solverFolder: '',
  judgeModel: { folder: '', precision: 'float32', weightsHash: null },
  openCodeJudge: async () => noJudge,
}
const environment = codeZero(parts)
const { format } = environment

const textOf = (problem: Problem) => formatProposal({ problem, tests: [`assert ${problem.name}([1]) == 1`] })

function proposalOf(texts: readonly string[], peerKey: Hex = proposerKey, count = texts.length) {
  return { peerKey, secret: hash, count, bytes: encodeProposal({ level: 3, texts }) }
}

const random = seededRandom('check rollouts')
const training = Array.from({ length: 6 }, () => textOf(drawTrainingTask(3, random)))
const rules: RoundRules = {
  spec,
  format,
  beacon: hash,
  places: await admitTasks([proposalOf(training)], environment),
}

/** Indices of the places that count. */
const admittedOf = async (...proposals: Parameters<typeof admitTasks>[0]) =>
  (await admitTasks(proposals, environment)).flatMap((place, at) => (place === null ? [] : [at]))

function honestBundle(followed = rules): RolloutBundle {
  const tasks = drawTasks(chainId, round, solverKey, followed)
  const prompts = tasks.map(({ problem }) => solverPrompt(tokenizer, problem as Problem))
  const completions = tasks.flatMap((_, prompt) =>
    [0, 1].map(() => {
      const tokens = Int32Array.of(...tokenizer.encode('def f(): pass'), eos)
      return {
        prompt,
        tokens,
        logprobs: new Float32Array(tokens.length).fill(-0.5),
        ended: true,
        sampling: spec.solving,
      }
    }),
  )
  const seed = roundSeed('rollout', chainId, round, followed.beacon, solverKey)
  return rolloutBundle(
    { chainId, round, peerKey: solverKey, policyHash: hash, seed },
    { spec, format },
    tasks,
    prompts,
    completions,
  )
}

test('an honest bundle is accepted whole', async () => {
  expect(rules.places.every(place => place !== null)).toBe(true)
  const groups = await checkRollouts(honestBundle(), rules)
  expect(groups.map(({ rollouts }) => rollouts.length)).toEqual([2, 2])
  expect(groups[0]?.rollouts[0]?.text).toBe('def f(): pass')
  expect(rootOf(honestBundle())).toBe(rootOf(honestBundle()))
})

test('if no proposer writes tasks, they follow from the beacon and are part of the answers', async () => {
  const problems = environment.drawTasks(3, 6, 'a round').map(task => ({ ...task, level: 3 as const }))
  const drawing = { ...environment, roundTasks: async () => problems }
  const drawn = await roundRules(drawing, { chainId, round, beacon: hash }, [])
  expect(drawn.places.map(place => place?.problem)).toEqual(problems.map(({ problem }) => problem))
  expect(await checkRollouts(honestBundle(drawn), drawn)).toHaveLength(2)
  const other = await roundRules(drawing, { chainId, round, beacon: solverKey }, [])
  expect(await checkRollouts(honestBundle(other), drawn)).toEqual([])
  // Proposed ones come after them.
  const mixed = await roundRules(drawing, { chainId, round, beacon: hash }, rules.places)
  expect(mixed.places.map(place => place?.ref.peerKey)).toEqual([
    ...Array(6).fill(ZERO_HASH),
    ...Array(6).fill(proposerKey),
  ])
})

test('a group is left out where its prompt is unknown here, and what was made of it is not judged', async () => {
  const [first] = drawTasks(chainId, round, solverKey, rules)
  const hide = (place: TaskPlace): TaskPlace =>
    place !== null && place.taskHash === first?.taskHash ? { ...place, isUnknown: true } : place
  const hidden: RoundRules = { ...rules, places: rules.places.map(hide) }
  const groups = await checkRollouts(honestBundle(hidden), hidden)
  expect(groups.map(({ rollouts }) => rollouts[0]?.index)).toEqual([2])
  const judge: Judge = {
    score: async answers => answers.map(() => ({ components: {}, score: 1, correctness: 1 })),
  }
  const work = { chainId, round, peerKey: solverKey, before: hash, beacon: hash }
  expect((await scoreRollouts(judge, honestBundle(hidden), hidden, work)).leaves).toBeNull()
  expect((await scoreRollouts(judge, honestBundle(), rules, work)).leaves).not.toBeNull()
})

test('leaves of tasks that nobody had are not scored, and those of tasks that were left out count nothing', async () => {
  const judge: Judge = {
    score: async answers => answers.map(() => ({ components: {}, score: 1, correctness: 1 })),
  }
  const scoreOf = async (payload: RolloutBundle, followed: RoundRules) =>
    (
      await scoreRollouts(judge, payload, followed, {
        ...{ chainId, round, peerKey: solverKey, before: hash, beacon: hash },
      })
    ).score.scoreMilli
  const single: RoundRules = { ...rules, places: rules.places.slice(0, 1) }
  expect(drawTasks(chainId, round, solverKey, single)).toHaveLength(1)
  expect(await scoreOf(honestBundle(single), single)).toBe(1000)
  expect(await scoreOf(honestBundle(), rules)).toBe(1000)
  expect(await scoreOf({ ...honestBundle(), groups: honestBundle().groups.slice(0, 1) }, rules)).toBe(500)
  const none: RoundRules = { ...rules, places: [] }
  expect(await scoreOf(honestBundle(none), none)).toBe(0)
  // More than the peer owes: the place of the opened leaf is drawn among all.
  const { groups } = honestBundle()
  const spare = groups.slice(0, 1).map(group => ({
    ...group,
    rollouts: group.rollouts.map((rollout, at) => ({ ...rollout, index: spec.owedLeaves + at })),
  }))
  expect(await scoreOf({ ...honestBundle(), groups: [...groups, ...spare] }, rules)).toBe(0)
  expect(await scoreOf(honestBundle(), single)).toBe(0)
})

test('if every proposer is silent, the beacon draws tasks of the curriculum, and none of them is held out', async () => {
  const at = { chainId, round, beacon: hash }
  const silent = await roundRules(environment, at, [])
  expect(silent.places.map(place => place?.ref.peerKey)).toEqual(Array(6).fill(ZERO_HASH))
  expect(
    silent.places.every(place => place && typeof admitProblem(place.problem as Problem, 'understood') !== 'string'),
  ).toBe(true)
  // Proposed data without a task is silence; data with a task that counts is not.
  expect((await roundRules(environment, at, [null, null])).places).toEqual([...silent.places, null, null])
  expect((await roundRules(environment, at, rules.places)).places).toEqual(rules.places)
  // With fewer than a solver owes, the first of those tasks fill the gap.
  const [first] = rules.places
  expect((await roundRules(environment, at, [null, first ?? null])).places).toEqual([silent.places[0], null, first])
  expect((await roundRules(environment, { ...at, beacon: solverKey }, [])).places).not.toEqual(silent.places)
  const strict = codeZero({ ...parts, spec: { ...spec, whenSilent: 'nothing' } })
  expect((await roundRules(strict, at, [])).places).toEqual([])
})

test('a held-out function is refused as a proposed task, and in a group that was taken from a peer', async () => {
  const held = drawHeldOutTask(3, seededRandom('held'))
  expect(await admittedOf(proposalOf([textOf(held), ...training.slice(1)]))).toEqual([1, 2, 3, 4, 5])
  // A peer that answers the held-out task instead of the one drawn for it.
  const smuggled = honestBundle()
  const prompt = packTokens(solverPrompt(tokenizer, held))
  for (const rollout of smuggled.groups[0]?.rollouts ?? []) rollout.promptTokens = prompt
  expect(await checkRollouts(smuggled, rules)).toHaveLength(1)
})

test.each<[string, (bundle: RolloutBundle) => void]>([
  ['another task', bundle => void bundle.groups.reverse()],
  [
    'a seed that was ground',
    bundle =>
      edit(bundle, rollout => {
        rollout.seed = hash
      }),
  ],
  [
    'another temperature',
    bundle =>
      edit(bundle, rollout => {
        rollout.sampling.temperature = 0.1
      }),
  ],
  ['too few answers', bundle => void bundle.groups[0]?.rollouts.pop()],
  [
    'a false end',
    bundle =>
      edit(bundle, rollout => {
        rollout.ended = false
      }),
  ],
  [
    'its own task',
    bundle => {
      if (bundle.groups[0]) bundle.groups[0].taskRef = { peerKey: solverKey, index: 0 }
    },
  ],
])('a group with %s is left out', async (_, spoil) => {
  const bundle = honestBundle()
  spoil(bundle)
  expect((await checkRollouts(bundle, rules)).length).toBeLessThan(2)
})

test('the first of identical tasks on the chain counts, from any proposer', async () => {
  const [one = '', two = '', three = ''] = training
  expect(await admittedOf(proposalOf([one, two, one]))).toEqual([0, 1])
  const [lower, higher] = [proposerKey, solverKey]
  expect(await admittedOf(proposalOf([one, three], higher), proposalOf([two, one], lower))).toEqual([0, 2, 3])
})

test('a proposal that cannot be read, or is more than the environment asks for, has no other places', async () => {
  const garbage = { ...proposalOf([], solverKey, 3), bytes: Uint8Array.of(1, 2, 3) }
  const bomb = { ...proposalOf([], solverKey, 2), bytes: new Uint8Array(deflateRawSync(new Uint8Array(2 << 20))) }
  for (const broken of [garbage, bomb]) {
    const places = await admitTasks([broken, proposalOf(training)], environment)
    expect(places.map(place => place !== null)).toEqual([
      ...training.map(() => true),
      ...Array(broken.count).fill(false),
    ])
  }
  // Six for tasksPerRound of two.
  expect(await admitTasks([proposalOf(training, proposerKey, 200)], environment)).toHaveLength(6)
})

test('a task that asks for what another one of the round does, in other words, does not count', async () => {
  const [one, other] = ['sum', 'total'].map(word =>
    textOf({
      name: `${word}_even`,
      parameters: ['xs'],
      text: `Return the ${word} of the numbers in xs that are even.`,
    }),
  ) as [string, string]
  expect(await admittedOf(proposalOf([one, other]))).toEqual([0])
  expect(await admittedOf(proposalOf([one], solverKey), proposalOf([other]))).toEqual([1])
})

test('each place that holds no task is reported with its reason', async () => {
  const told: string[] = []
  const [one = '', two = '', three = ''] = training
  const again = { ...proposalOf([], solverKey, 2), bytes: Uint8Array.of(1, 2, 3) }
  const [first, other] = ['sum', 'total'].map(word =>
    textOf({
      name: `${word}_even`,
      parameters: ['xs'],
      text: `Return the ${word} of the numbers in xs that are even.`,
    }),
  ) as [string, string]
  const spoilt = [
    proposalOf([one, one, 'Do it.', '[['.repeat(900), two]),
    again,
    proposalOf([first, other, three], `0x${'33'.repeat(32)}`),
  ]
  const places = await admitTasks(spoilt, environment, reason => told.push(reason))
  expect(told.sort()).toEqual(['malformed', 'malformed', 'not new', 'repeated', 'unreadable', 'unreadable'])
  expect(places.filter(place => place === null)).toHaveLength(told.length)
})

test('a task whose prompt is longer than the limit does not count', async () => {
  const longest = environment.proposals?.limits.promptTokens ?? 0
  const admitted = (tokens: number) => {
    const wordy = { ...format, solverPrompt: async () => new Int32Array(tokens) }
    return admitTasks([proposalOf(training)], { ...environment, format: wordy })
  }
  expect((await admitted(longest + 1)).map(place => place !== null)).toEqual(training.map(() => false))
  expect((await admitted(longest)).map(place => place !== null)).toEqual(training.map(() => true))
})

test('a place without a task passes its draw on, to any other alike, and changes no other draw', () => {
  const whole = rules.places
  const hits = new Array<number>(whole.length).fill(0)
  const broken = whole.with(0, null)
  const peers = Array.from({ length: 600 }, (_, at): Hex => `0x${at.toString(16).padStart(64, '0')}`)
  for (const peerKey of peers) {
    const before = drawTasks(chainId, round, peerKey, rules)
    const after = drawTasks(chainId, round, peerKey, { ...rules, places: broken })
    expect(new Set(after).size).toBe(2)
    for (const [at, task] of before.entries()) {
      if (task === whole[0]) hits[whole.indexOf(after[at] ?? null)] = (hits[whole.indexOf(after[at] ?? null)] ?? 0) + 1
      else expect(after[at]).toBe(task)
    }
  }
  // A third of the peers drew it, and its neighbour has no more of that than the others.
  expect(hits[0]).toBe(0)
  for (const hit of hits.slice(1)) expect(Math.abs(hit - 40)).toBeLessThan(25)
  const alone = whole.map((task, at) => (at === 3 ? task : null))
  expect(drawTasks(chainId, round, solverKey, { ...rules, places: alone })).toEqual([whole[3]])
  expect(drawTasks(chainId, round, solverKey, { ...rules, places: [] })).toEqual([])
})

function edit(
  bundle: RolloutBundle,
  change: (rollout: RolloutBundle['groups'][number]['rollouts'][number]) => void,
): void {
  for (const rollout of bundle.groups[0]?.rollouts ?? []) change(rollout)
}
