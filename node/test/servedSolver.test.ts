import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Clock } from '#core/clock.ts'
import { createLogger } from '#core/logger.ts'
import type { Judge } from '#environments/environment.ts'
import { small, solverMessage } from '#environments/reasoning/kind.ts'
import { reasoning } from '#environments/reasoning/reasoning.ts'
import { reasoningSpecSchema } from '#environments/reasoning/reasoningSpec.ts'
import { openTokenizer, type TokenizerClient } from '#model/tokenizers/tokenizerClient.ts'
import { openAdapterPolicy } from '#rl/policy/adapterPolicy.ts'
import type { Policy } from '#rl/policy/policy.ts'
import { type CheckedGroup, type RoundRules, roundRules } from '#roles/draws/checkRollouts.ts'
import { learningOptions } from '#roles/models/openModels.ts'
import { writeChatModel } from './chatModelFolder.ts'
import { claimErrors, openServedScene } from './servedScene.ts'
import { wordOf } from './specification/commonProbes.ts'
import { BASE, startVllm } from './vllmServer.ts'

const root = mkdtempSync(join(tmpdir(), 'waggle-served-'))
const model = join(root, 'model')
const peerKey = wordOf('0a')
const adapter = {
  lora: { rank: 4, alpha: 8, targets: ['q_proj', 'v_proj'], rankStabilized: false },
  base: 'float32',
} as const
const { signal } = new AbortController()
/** Waits for nothing: a server that is away is asked four times. */
const clock: Clock = { nowMs: () => 0, sleep: async () => {} }
const lines: Record<string, unknown>[] = []
const logger = createLogger({ write: line => lines.push(JSON.parse(line)), format: 'json', level: 'info', clock })

let tokenizer: TokenizerClient
let policy: Policy
let server: Awaited<ReturnType<typeof startVllm>>
let rules: RoundRules
let scene: ReturnType<typeof openServedScene>

beforeAll(async () => {
  await writeChatModel(model, 'served')
  tokenizer = await openTokenizer(model)
  const spec = reasoningSpecSchema.parse({
    ...small,
    ...{ groupSize: 4, tasksPerRound: 2, owedLeaves: 8, sampledLeaves: 4 },
    solving: { ...small.solving, maxNewTokens: 12 },
    prompts: {
      ...{ format: 'chat', tokenizerHash: tokenizer.hash, vocabSize: 448, solver: solverMessage, examples: [] },
    },
  })
  const environment = reasoning({ spec, tokenizer, solverFolder: model })
  rules = await roundRules(environment as never, { chainId: 1, round: 5, beacon: wordOf('0b') }, [])
  policy = await openAdapterPolicy(model, model, adapter, { threads: 1, device: 'cpu', ...learningOptions(spec) })
  server = await startVllm(model, adapter)
  scene = openServedScene({
    ...{ environment: environment as never, policy, url: server.url, judge, vocabSize: 448 },
    ...{ peerKey, clock, logger, data: root },
  })
})
afterAll(async () => {
  await scene.sampler.close()
  await server.close()
  await policy.dispose()
  await tokenizer.close()
})

/** A judge by which answers of one question differ. */
const judge: Judge = {
  score: async answers => answers.map(({ text }) => ({ correctness: 0, score: (text.length % 5) / 4 })) as never,
}

/** How far the server's log-probabilities are from those of the policy here, at most. */
const claimError = async (groups: readonly CheckedGroup[]) => Math.max(...(await claimErrors(policy, groups)))

/** A round as the solver plays it. */
const playRound = (round: number) => scene.play(round, rules)

const adaptersThere = () => [...server.models.keys()].filter(name => name !== BASE)

test('a server samples, the adapter is trained here, and the server samples by it in the next round', async () => {
  // The first answers are the base's, which a fresh adapter does not change.
  const first = await scene.sampler.answer(1, rules, signal)
  expect(first).toMatchObject({ refused: {}, sampledBy: 'this policy' })
  expect(first.groups.map(({ rollouts }) => rollouts.length)).toEqual([4, 4])
  expect(await claimError(first.groups)).toBeLessThan(1e-4)
  const hash = await policy.weightsHash()
  const { learned } = await playRound(1)
  expect([learned.updates, learned.refused]).toEqual([1, {}])
  expect(await policy.weightsHash()).not.toBe(hash)
  const [handed = ''] = adaptersThere()
  expect(handed).toBe(`waggle-${peerKey.slice(2, 18)}-${(await policy.weightsHash()).slice(2, 18)}`)

  const second = await scene.sampler.answer(2, rules, signal)
  expect(server.asked.at(-1)).toMatchObject({ path: '/v1/completions', body: { model: handed } })
  expect(await claimError(second.groups)).toBeLessThan(1e-4)
  // By the base those claims would be false.
  expect(await claimError(first.groups)).toBeGreaterThan(1e-4)

  // The next one takes its place, also where the server has forgotten all of them.
  await playRound(2)
  expect(adaptersThere()).toHaveLength(1)
  expect(readdirSync(scene.shared)).toEqual(adaptersThere())
  const forgotten = adaptersThere()
  for (const name of forgotten) server.models.delete(name)
  expect(await scene.sampler.answer(3, rules, signal)).toMatchObject({ refused: {}, sampledBy: 'this policy' })
  expect(adaptersThere()).toEqual(forgotten)
})

test('a server that takes no adapter samples by the policy that it has, and the solver learns with weights', async () => {
  const before = adaptersThere()
  server.takesAdapters = false
  await playRound(4)
  expect(adaptersThere()).toEqual(before)
  const { sampledBy, learned } = await playRound(5)
  expect([sampledBy, learned.updates]).toEqual(['an older policy', 1])
  expect(lines.find(({ message }) => String(message).includes('did not take the adapter'))).toMatchObject({
    advice: expect.stringMatching(/--max-lora-rank 4 or higher, VLLM_ALLOW_RUNTIME_LORA_UPDATING=1/),
  })
  server.takesAdapters = true
  expect(await scene.sampler.answer(6, rules, signal)).toMatchObject({ sampledBy: 'this policy' })
})

type Choice = {
  token_ids?: number[]
  finish_reason: string
  logprobs: Record<string, unknown> & { token_logprobs: unknown[] }
}

/** Changes the one choice of a completion. */
const changed = (change: (choice: Choice) => unknown) => (body: unknown) => {
  const [choice] = (body as { choices: [Choice] }).choices
  return { choices: [change(choice)] }
}
const withLogprobs = (map: (x: number) => unknown) =>
  changed(choice => ({
    ...choice,
    logprobs: { ...choice.logprobs, token_logprobs: choice.logprobs.token_logprobs.map(x => map(x as number)) },
  }))
const malformed = "the server's answer is malformed"
const againstRule = "the server's answer is not one by the rule"

test.each<[what: string, answer: (body: unknown) => unknown, reason: string]>([
  ['no JSON', () => '{"choices": [', malformed],
  ['NaN, as Python writes it', body => JSON.stringify(body).replace(/-\d+\.\d+/, 'NaN'), malformed],
  ['more than a megabyte', () => ' '.repeat((1 << 20) + 1), malformed],
  ['no choice', () => ({ choices: [] }), malformed],
  ['two choices', body => ({ choices: [0, 1].flatMap(() => (body as { choices: unknown[] }).choices) }), malformed],
  ['no log-probabilities', changed(choice => ({ ...choice, logprobs: null })), malformed],
  ['one null', withLogprobs(x => (x < 0 ? null : x)), malformed],
  ['a probability above 1', withLogprobs(() => 0.5), malformed],
  ['one token more', changed(choice => ({ ...choice, token_ids: [...(choice.token_ids ?? []), 1] })), malformed],
  ['a content filter', changed(choice => ({ ...choice, finish_reason: 'content_filter' })), malformed],
  ['unknown tokens', changed(choice => ({ ...choice, token_ids: choice.token_ids?.map(() => 448) })), againstRule],
  [
    'an invalid end',
    changed(choice => ({ ...choice, finish_reason: 'stop', token_ids: choice.token_ids?.map(() => 5) })),
    againstRule,
  ],
  [
    'texts of other tokens',
    changed(({ token_ids, ...choice }) => choice),
    "the server's tokens are not those of its text",
  ],
])('an answer of %s is refused, and the round continues', async (_, answer, reason) => {
  server.bend = ({ path }, said) => (path === '/v1/completions' ? { body: answer(said.body) } : said)
  expect(await scene.sampler.answer(7, rules, signal)).toMatchObject({ groups: [], refused: { [reason]: 2 } })
  server.bend = (_, said) => said
})

test.each([400, 404, 403])('a request that a server refuses by %d is counted as refused', async status => {
  server.bend = ({ path }, said) => (path === '/v1/completions' ? { status, body: '' } : said)
  const refused = { 'the server refused the request': 2 }
  expect(await scene.sampler.answer(7, rules, signal)).toMatchObject({ groups: [], refused })
  server.bend = (_, said) => said
})

test('tokens that a server names by their text are found again', async () => {
  const texts = (ids: readonly number[]) => Promise.all(ids.map(id => tokenizer.decode([id], 'keep')))
  const all = await texts([...Array(448).keys()])
  server.bend = ({ path }, said) =>
    path === '/v1/completions'
      ? {
          body: changed(({ token_ids = [], ...choice }) => ({
            ...choice,
            logprobs: { ...choice.logprobs, tokens: token_ids.map(id => all[id]) },
          }))(said.body),
        }
      : said
  const { refused } = await scene.sampler.answer(8, rules, signal)
  server.bend = (_, said) => said
  // A random model writes tokens that no tokenizer would divide a text into.
  expect(Object.keys(refused)).toEqual(["the server's tokens are not those of its text"])
  const line = 'Return the sum of a and b.'
  const ids = [...(await tokenizer.encode(line))]
  server.bend = ({ path }, said) =>
    path === '/v1/completions'
      ? {
          body: changed(() => ({
            finish_reason: 'length',
            logprobs: { tokens: ids.slice(0, 12).map(id => all[id]), token_logprobs: ids.slice(0, 12).map(() => -1) },
          }))(said.body),
        }
      : said
  const found = await scene.sampler.answer(8, rules, signal)
  server.bend = (_, said) => said
  expect(found.refused).toEqual({})
  expect([...(found.groups[0]?.rollouts[0]?.completionTokens ?? [])]).toEqual(ids.slice(0, 12))
})

test('claims that are too low are refuted, and nothing is learned from them', async () => {
  server.bend = ({ path }, said) => (path === '/v1/completions' ? { body: withLogprobs(x => x - 3)(said.body) } : said)
  const hash = await policy.weightsHash()
  const { learned } = await playRound(9)
  server.bend = (_, said) => said
  expect(learned).toMatchObject({
    updates: 0,
    refused: { 'own groups: claimed log-probabilities are refuted by those of this policy': 2 },
  })
  expect(await policy.weightsHash()).toBe(hash)
})

test('a server that is slow or away costs the round its own groups, and says so in a line', async () => {
  await policy.save(scene.policyFolder)
  for (const slowIn of ['/v1/completions', '/v1/models']) {
    const until = new AbortController()
    server.bend = ({ path }, said) => {
      if (path !== slowIn) return said
      until.abort(new DOMException('The time is up.', 'TimeoutError'))
      return null
    }
    const slow = await scene.sampler.answer(10, rules, until.signal)
    expect(slow).toMatchObject({ groups: [], refused: { 'the server was too slow': 2 } })
  }
  server.bend = (_, said) => (said.status === undefined ? { status: 503, body: '' } : said)
  const away = await playRound(11)
  server.bend = (_, said) => said
  expect(away).toMatchObject({ groups: [], refused: { 'the server is away': 2 }, learned: { updates: 0, refused: {} } })
  const line = lines.findLast(({ message }) => String(message).startsWith('groups of this round are missing'))
  expect(line).toMatchObject({ level: 'warn', round: 11, missed: 2, groups: 2 })
  expect(JSON.stringify(line?.error)).toContain('SERVER_BUSY')
  expect(await scene.sampler.answer(12, rules, signal)).toMatchObject({ refused: {} })
})
