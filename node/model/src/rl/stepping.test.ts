import { expect, test } from 'vitest'
import { SessionMemoryError } from '#engine/engineError.ts'
import { initWeights } from '#model/decoder/initWeights.ts'
import { tinyConfig } from '#model/decoder/tinyDecoder.ts'
import { hashWeights } from '#model/decoder/weights.ts'
import type { GradientPass } from './passes/gradientPass.ts'
import { withinMemory } from './passes/withinMemory.ts'
import { createChosenPasses } from './stepping.ts'
import { createTrainer } from './trainer.ts'

const loss = { kind: 'crossEntropy' } as const
const batch = [{ tokens: Int32Array.of(1, 2), scored: Int32Array.of(1) }]

/** Passes whose graph is estimated at some bytes, and a log of what was opened, used and given back. */
function passesOf(estimates: number[], memoryBytes = 100) {
  const log: string[] = []
  const pass = (name: string): GradientPass => ({
    run: async () => {
      log.push(name)
      if (name === 'whole' && estimates.length === 0) throw new SessionMemoryError('no memory', { hint: 'Free some.' })
      return 0
    },
    logprobs: async () => new Float32Array(0),
    dispose: async () => void log.push(`no ${name}`),
  })
  const layers = pass('layers')
  const passes = createChosenPasses({
    memoryBytes: () => memoryBytes,
    maxTokens: 64,
    whole: () => pass('whole'),
    layered: () => ({
      for: async () => ({ pass: layers, parts: [[0]] }),
      shrink: async () => log.push('shrunk') > 0,
      dispose: () => layers.dispose(),
    }),
    estimate: () => estimates.shift() ?? 0,
  })
  const step = () => withinMemory(passes, async () => (await passes.for(loss, batch)).pass.run(loss, [], new Map()))
  return { log, step, passes }
}

test('a step that fits runs in one graph; from the first that does not, layer by layer, and the graph is given back', async () => {
  const { log, step, passes } = passesOf([50, 100, 101, 50])
  for (let i = 0; i < 4; i++) await step()
  await passes.dispose()
  expect(log).toEqual(['whole', 'whole', 'no whole', 'layers', 'layers', 'no layers'])
})

test('a graph whose memory is unavailable is left for layers, which then shrink by themselves', async () => {
  const { log, step, passes } = passesOf([])
  await step()
  expect(log).toEqual(['whole', 'no whole', 'layers'])
  expect(await passes.shrink()).toBe(true)
  expect(log.at(-1)).toBe('shrunk')
})

test('all weights are bitwise identical after a step, whichever pass was chosen', async () => {
  const hashes = []
  const config = { ...tinyConfig, layers: 6 } // for one graph too many to fit into 14 MB
  for (const options of [{}, { layered: false }, { layered: true }, { memoryBytes: 14e6 }]) {
    const weights = initWeights(config, 'chosen')
    const trainer = await createTrainer(config, weights, { threads: 1, ...options })
    const sequences = Array.from({ length: 40 }, (_, i) => ({
      tokens: Int32Array.from({ length: 20 + (i % 7) }, (_, t) => (5 * t + i) % config.vocabSize),
      scored: Int32Array.from({ length: 10 }, (_, t) => t + 5),
      weights: new Float32Array(10).fill(1),
    }))
    await trainer.crossEntropyStep(sequences, 1e-2)
    await trainer.dispose()
    hashes.push(hashWeights(weights))
  }
  expect(new Set(hashes).size).toBe(1)
})
