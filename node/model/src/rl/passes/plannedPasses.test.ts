import { expect, test } from 'vitest'
import type { Device } from '#engine/devices/device.ts'
import { SessionMemoryError } from '#engine/engineError.ts'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { initLora } from '#model/lora/loraFactors.ts'
import type { GradientPass } from './gradientPass.ts'
import { createPlannedPasses } from './plannedPasses.ts'
import { withinMemory } from './withinMemory.ts'

const adapter = initLora(tinyConfig, { rank: 2, alpha: 4, targets: ['q_proj'], rankStabilized: false }, 'memory')
const batch = Array.from({ length: 8 }, (_, i) => ({
  tokens: Int32Array.from({ length: 40 }, (_, t) => (3 * t + i) % tinyConfig.vocabSize),
  scored: Int32Array.from({ length: 20 }, (_, t) => t + 20),
}))
const loss = { kind: 'crossEntropy' } as const
const short = () => new SessionMemoryError('Failed to allocate memory', { hint: 'Free some memory.' })

/** Passes that fail where more sequences run at a time than `fitting` says for the run. */
function passesOf(
  fitting: (run: number) => number,
  { device = 'cpu', free = () => 1e9 }: { device?: Device; free?: () => number } = {},
) {
  const opened: string[] = []
  const memory = { plannable: (held: number) => free() + held, resident: () => 0 }
  const own = { threads: 1, temperature: 1, device, adapter, memoryBytes: undefined, memory }
  const options = { ...own, precision: 'float32' as const }
  let runs = 0
  const trained = (name: string) => adapter.factors.has(name)
  const open = async (): Promise<GradientPass> => {
    opened.push('opened')
    return {
      run: async (_, part) => {
        if (part.length > fitting(++runs)) throw short()
        return part.length
      },
      logprobs: async () => new Float32Array(0),
      dispose: async () => void opened.push('disposed'),
    }
  }
  const passes = createPlannedPasses(tinyConfig, tinyWeights(), { ...options, trained }, open)
  const attempts: number[] = []
  const step = () =>
    withinMemory(passes, async () => {
      const { pass, parts } = await passes.for(loss, batch)
      const sequences = Math.max(...parts.map(part => part.length))
      attempts.push(sequences)
      const targets = batch.slice(0, sequences).map(sequence => ({ ...sequence, perToken: {} }))
      await pass.run(loss, targets, new Map())
      return sequences
    })
  return { step, attempts, opened }
}

test('a step whose memory is unavailable is done again with less, at last with fewer sequences at a time, and so are those after it', async () => {
  const { step, attempts, opened } = passesOf(() => 6)
  expect(await step()).toBe(6)
  expect(attempts[0]).toBe(8)
  expect([...attempts].sort((a, b) => b - a)).toEqual(attempts)
  expect(opened.slice(0, 3)).toEqual(['opened', 'disposed', 'opened'])
  const before = attempts.length
  expect(await step()).toBe(6)
  expect(attempts).toHaveLength(before + 1)
})

test('a step that fits in no way is refused with what it needs', async () => {
  await expect(passesOf(() => 0).step()).rejects.toMatchObject({
    code: 'TRAINER',
    message: expect.stringMatching(/^a step needs .* where .* may be used$/),
  })
})

const refused = { code: 'TRAINER', message: expect.stringMatching(/may be used$/) }

test('a step without free memory is refused, and the next one has what is free then', async () => {
  let free = 1e9
  const { step, opened } = passesOf(() => 8, { free: () => free })
  expect(await step()).toBe(8)
  free = -1e9
  await expect(step()).rejects.toMatchObject(refused)
  free = 1e9
  for (let i = 0; i < 3; i++) expect(await step()).toBe(8)
  expect(opened).toEqual(['opened'])
})

test('shortages that pass refuse no step, not even of the smallest parts, and parts grow again', async () => {
  const shortages = new Set([1, 5, 9])
  const { step, attempts } = passesOf(run => (shortages.has(run) ? 0 : 8))
  const sequences: number[] = []
  for (let i = 0; i < 200; i++) sequences.push(await step())
  expect(attempts).toHaveLength(203)
  expect(sequences[0]).toBeLessThan(8)
  expect(sequences.at(-1)).toBe(8)
})

test('a step that fits in no way is refused alone: the next one tries the smallest parts', async () => {
  let fitting = 0
  const { step } = passesOf(() => fitting)
  for (let i = 0; i < 2; i++) await expect(step()).rejects.toMatchObject(refused)
  fitting = 6
  expect(await step()).toBeLessThanOrEqual(6)
})

test("free memory of this process's machine does not limit what a device with its own memory holds", async () => {
  const { step, attempts } = passesOf(() => 6, { device: 'webgpu', free: () => -1e9 })
  expect(await step()).toBe(6)
  expect(attempts[0]).toBe(8)
  await expect(passesOf(() => 8, { free: () => -1e9 }).step()).rejects.toMatchObject(refused)
})

test('other failures are not mistaken for a lack of memory', async () => {
  const shrunk: string[] = []
  const passes = { shrink: async () => shrunk.push('shrunk') > 0 }
  await expect(withinMemory(passes, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(shrunk).toEqual([])
  let tries = 0
  const array = async () => {
    if (tries++ === 0) throw new RangeError('Array buffer allocation failed')
    return 'done'
  }
  expect(await withinMemory(passes, array)).toBe('done')
})
