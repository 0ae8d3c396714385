import { expect, test } from 'vitest'
import { choose, type DeviceReport } from '../../node/model/src/engine/devices/chooseDevice.ts'
import { type Bench, openBench } from '../measure/bench.ts'
import { resultOf } from '../measure/row.ts'
import { rows } from './gpu.ts'

const adapter = { name: 'NVIDIA H200', isSoftware: false }
const verdict = { device: 'webgpu' as const, isAvailable: true, reason: null, float16Reason: null, adapter }
const machine = { platform: 'linux-x64', cpu: '', cores: 8, instructionSets: [], memoryBytes: 1, gpus: [] }
const report: DeviceReport = { machine, devices: [verdict], ...choose(machine, [verdict]) }
const answer = {
  ...{ tokensPerSec: 10, perSec: 1e12, seconds: 2, described: 'as told' },
  ...{ logprobs: [-1], tokens: [1, 2], from: 1, norm: 1, sampled: [1] },
}

/** A run on a machine with a GPU, whose answers are given instead of asked for. */
function answering(asked: string[], answers: (question: string) => object | string = () => answer): Bench {
  const known = new Set<string>()
  return {
    ...openBench('', true),
    log: () => {},
    async once<T>(key: string) {
      if (key === 'devices') return report as T
      if (!known.has(key)) asked.push(key)
      known.add(key)
      const given = answers(key)
      if (given instanceof Error) throw given
      return given as T
    },
  }
}

async function measureAll(bench: Bench) {
  for (const row of rows) await row.prepare?.(bench)
  const results = []
  for (const row of rows) results.push(await resultOf(row, bench))
  return results
}

test('Waggle is asked for all rows on the GPU, then torch, then the CPU.', async () => {
  const asked: string[] = []
  await measureAll(answering(asked))
  const kinds = asked.map(key => (key.startsWith('torch') ? 'torch' : JSON.parse(key).device))
  expect(kinds).toEqual([...Array(11).fill('webgpu'), ...Array(7).fill('torch'), ...Array(4).fill('cpu')])
})

test('A question that has no answer takes its own rows only, and each row names the adapter.', async () => {
  const hanging = (key: string) =>
    /"what":"decode","rows":8,/.test(key) ? new Error('it did not answer in 90 s') : answer
  const results = await measureAll(answering([], key => (key.startsWith('torch') ? 'no torch' : hanging(key))))
  const valued = results.filter(({ value }) => value !== null)
  expect(valued.map(({ name }) => name)).toEqual([
    'gpu-step-peak',
    'gpu-decode-b1-limit',
    'gpu-logprob-error',
    'gpu-decode-error',
    'gpu-gradient-error',
    'gpu-against-cpu',
  ])
  for (const { conditions } of valued) expect(conditions).toMatch(/^a tiny model, NVIDIA H200 by webgpu: /)
  const conditions = (name: string) => results.find(row => row.name === name)?.conditions
  expect(conditions('gpu-decode-b8')).toBe('failed: it did not answer in 90 s')
  expect(conditions('gpu-decode-b1')).toMatch(/ 10\.0 tokens\/s; no comparison: no torch$/)
})

test('Numbers that are not finite are counted, and a limit without torch is that of a known card only.', async () => {
  const broken = (key: string) =>
    /"what":"(logprobs|gradient)"/.test(key) ? { ...answer, logprobs: [null], sampled: [null] } : answer
  const errors = (await measureAll(answering([], broken))).filter(({ name }) => /-error$/.test(name))
  for (const { value, conditions } of errors) {
    expect(value).toBeNull()
    expect(conditions).toMatch(/; numbers that are not finite: [01] on the GPU and 1 on the CPU of 1$/)
  }
  const withoutTorch = (key: string) => (key.startsWith('torch') ? 'no torch' : answer)
  const limits = async (name: string) => {
    const bench = answering([], withoutTorch)
    const on = { ...report, devices: [{ ...verdict, adapter: { ...adapter, name } }] }
    const once: Bench['once'] = async (key, make) => (key === 'devices' ? (on as never) : bench.once(key, make))
    return (await measureAll({ ...bench, once })).filter(({ name }) => /(limit|peak)$/.test(name))
  }
  for (const { value, conditions } of await limits('NVIDIA H200')) {
    expect(value).toBeGreaterThan(0)
    expect(conditions).toMatch(/(4800|67000) by NVIDIA's figures, since no torch$/)
  }
  for (const { value, conditions } of await limits('another card')) {
    expect(value).toBeNull()
    expect(conditions).toMatch(/no comparison: ONNX Runtime's own 1000 G\/s is not a limit; no torch$/)
  }
})

test('Without a device of Waggle torch is asked all the same.', async () => {
  const bench = answering([])
  const none = {
    ...report,
    chosen: 'cpu',
    devices: [{ ...verdict, isAvailable: false, reason: 'no driver', adapter: null }],
  }
  const once: Bench['once'] = async (key, make) => (key === 'devices' ? (none as never) : bench.once(key, make))
  const results = await measureAll({ ...bench, isTiny: false, once })
  const told = Object.fromEntries(results.map(({ name, conditions }) => [name, conditions]))
  for (const { value } of results) expect(value).toBeNull()
  expect(told['gpu-decode-b8']).toBe(
    'there is no GPU on this machine. webgpu: no driver torch: 10.0 tokens/s in float16 (as told)',
  )
  expect(told['gpu-decode-b1-limit']).toMatch(/ torch: 1000 GB\/s$/)
  expect(told['gpu-logprob-error']).toBe('there is no GPU on this machine. webgpu: no driver')
})

test("The step's row says what the shared prompt saves and which of TRL's choices was the faster.", async () => {
  const step = (await measureAll(answering([]))).find(({ name }) => name === 'gpu-lora-step')
  expect(step).toMatchObject({ value: 1 })
  expect(step?.conditions).toMatch(
    /the prompt read once, which leaves 0\.\d\d of TRL's operations, in 2\.00 s, the median of three on both sides against 2\.00 s \(as told\)$/,
  )
})
