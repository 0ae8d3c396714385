import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Clock } from '#core/clock.ts'
import { createLogger } from '#core/logger.ts'
import type { Environment } from '#environments/environment.ts'
import { formatDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { writeWeights } from '#model/decoder/weights.ts'
import { openPolicyClient, type PolicyClient } from '#rl/policy/policyClient.ts'
import type { PolicyWorkerOptions } from '#rl/policy/policyProtocol.ts'
import { openSamplingApart, whyTogether } from './samplingApart.ts'

const adapter = {
  lora: { rank: 4, alpha: 8, targets: ['q_proj', 'down_proj'], rankStabilized: false },
  base: 'float32',
} as const
const prompt = Int32Array.of(1, 2, 3)
const request = {
  prompts: [prompt],
  samplesPerPrompt: 4,
  maxNewTokens: 8,
  temperature: 1,
  stopToken: -1,
  seed: 'apart',
}
const machine = { cores: 4, freeBytes: 2 ** 33 }
const model = { threads: 1, device: 'cpu', trained: 'weights', parameters: 1e6 } as const

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waggle-apart-'))
  await writeFile(join(folder, 'config.json'), JSON.stringify(formatDecoderConfig(tinyConfig)))
  await writeWeights(join(folder, 'model.safetensors'), tinyWeights(), 'F32')
})
afterAll(() => rm(folder, { recursive: true }))

/** A policy that learns, and the process that samples for it. */
async function openBoth(settings: PolicyWorkerOptions) {
  const policy = openPolicyClient({ threads: 1, ...settings })
  await policy.load(folder, folder)
  const lines: { message: string }[] = []
  const write = (line: string) => lines.push(JSON.parse(line))
  const logger = createLogger({ write, format: 'json', level: 'info', clock: { nowMs: () => 0 } as Clock })
  const node = { environment: { solverFolder: folder } as Environment, logger, signal: new AbortController().signal }
  const processes: ReturnType<typeof openPolicyClient>[] = []
  const apart = openSamplingApart(node, policy, { ...model, crashed: () => {} }, machine, options => {
    const opened = openPolicyClient(options)
    processes.push(opened)
    return opened
  })
  if (apart === null) throw new Error('not apart')
  return {
    policy,
    apart,
    lines,
    pid: processes[0]?.pid ?? 0,
    close: () => Promise.all([policy.close(), apart.close()]),
  }
}

async function learn(policy: PolicyClient) {
  const completions = (await policy.generate(request)).map(({ tokens, logprobs }, i) => ({
    ...{ tokens, logprobs },
    reward: i % 2,
  }))
  return policy.policyStep([{ prompt, completions }], { learningRate: 1e-2 })
}

test.each([
  ['weights', {}],
  ['an adapter', { adapter }],
])('%s: what is held samples bit for bit as the policy did, while and after that learns', async (_, settings) => {
  const { policy, apart, close } = await openBoth(settings)
  const [before, hash] = [await policy.generate(request), await policy.weightsHash()]
  const held = await apart.hold()
  const [meanwhile] = await Promise.all([held?.generate(request), learn(policy)])
  expect(meanwhile).toEqual(before)
  expect(await held?.generate(request)).toEqual(before)
  expect([await held?.weightsHash(), (await policy.weightsHash()) === hash]).toEqual([hash, false])
  expect(await policy.generate(request)).not.toEqual(before)
  const next = await apart.hold()
  expect(await next?.generate(request)).toEqual(await policy.generate(request))
  await close()
})

test('where the process that samples dies, the other one samples the same, and both are one from then on', async () => {
  const { policy, apart, lines, pid, close } = await openBoth({})
  const held = await apart.hold()
  const before = await policy.generate(request)
  await learn(policy)
  process.kill(pid, 'SIGKILL')
  expect(await held?.generate(request)).toEqual(before)
  expect(lines.at(-1)?.message).toContain('the process that samples failed')
  expect(await apart.hold()).toBeNull()
  await close()
})

test.each<[string, Partial<typeof machine>, Partial<Parameters<typeof whyTogether>[1]>, RegExp | null]>([
  ['four cores', {}, {}, null],
  ['two cores', { cores: 2 }, {}, /cores/],
  ['four cores, and as many threads', { cores: 4 }, { threads: 2 }, /cores/],
  ['more cores than twice the threads', { cores: 5 }, { threads: 2 }, null],
  ['a GPU', {}, { device: 'cuda' }, /GPU/],
  ['weights of half a billion', { freeBytes: 2 ** 36 }, { parameters: 5e8 }, /too large/],
  ['an adapter over half a billion', { freeBytes: 2 ** 33 }, { parameters: 5e8, trained: 'adapter' }, null],
  ['the same with less memory', { freeBytes: 5e9 }, { parameters: 5e8, trained: 'adapter' }, /memory/],
])('%s: it samples and learns at once where the machine has cores and memory for both', (_, has, played, why) => {
  const told = whyTogether({ ...machine, ...has }, { ...model, ...played })
  if (why === null) expect(told).toBeNull()
  else expect(told).toMatch(why)
})
