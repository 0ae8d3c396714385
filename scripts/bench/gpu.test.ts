import { expect, test } from 'vitest'
import { choose, type DeviceReport } from '../../node/model/src/engine/devices/chooseDevice.ts'
import { type Bench, openBench } from '../measure/bench.ts'
import { resultOf } from '../measure/row.ts'
import { rows } from './gpu.ts'

const adapter = { name: 'NVIDIA H200', isSoftware: false }
const verdict = { device: 'webgpu' as const, isAvailable: true, reason: null, float16Reason: null, adapter }
const machine = { platform: 'linux-x64', cpu: '', cores: 8, instructionSets: [], memoryBytes: 1, gpus: [] }
const report: DeviceReport = { machine, devices: [verdict], ...choose(machine, [verdict]) }
const answer = { tokensPerSec: 10, perSec: 1e12, seconds: 2, logprobs: [-1], described: 'as told' }

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
  expect(kinds).toEqual([...Array(8).fill('webgpu'), ...Array(6).fill('torch'), 'cpu', 'cpu'])
})

test('A question that has no answer takes its own rows only, and each row names the adapter.', async () => {
  const hanging = (key: string) =>
    /"what":"decode","rows":8,/.test(key) ? new Error('it did not answer in 90 s') : answer
  const results = await measureAll(answering([], key => (key.startsWith('torch') ? 'no torch' : hanging(key))))
  const valued = results.filter(({ value }) => value !== null)
  expect(valued.map(({ name }) => name)).toEqual([
    'gpu-decode-b1-limit',
    'gpu-step-peak',
    'gpu-against-cpu',
    'gpu-logprob-error',
  ])
  for (const { conditions } of valued) expect(conditions).toMatch(/^a tiny model, NVIDIA H200 by webgpu: /)
  const conditions = (name: string) => results.find(row => row.name === name)?.conditions
  expect(conditions('gpu-decode-b8')).toBe('failed: it did not answer in 90 s')
  expect(conditions('gpu-decode-b1')).toMatch(/ 10\.0 tokens\/s; no comparison: no torch$/)
})

test("The step's row says what the shared prompt saves and which of TRL's choices was the faster.", async () => {
  const step = (await measureAll(answering([]))).find(({ name }) => name === 'gpu-lora-step')
  expect(step).toMatchObject({ value: 1 })
  expect(step?.conditions).toMatch(
    /the prompt read once, which leaves 0\.\d\d of TRL's operations, in 2\.00 s, the median of three on both sides against 2\.00 s \(as told\)$/,
  )
})
