import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, expect, test } from 'vitest'
import { initWeights } from '../decoder/initWeights.ts'
import { tinyConfig, tinyWeights } from '../decoder/tinyDecoder.ts'
import { allLinear, type LoraConfig } from '../lora/loraConfig.ts'
import { initLora, type LoraAdapter } from '../lora/loraFactors.ts'
import { bakedParts } from '../quantization/frozenParts.ts'
import { createBaseReader } from './baseReader.ts'
import { createDrawReader } from './drawReader.ts'
import { samplingTolerances } from './samplingTolerances.ts'

const freeze = bakedParts(tinyConfig, tinyWeights())
const reader = await createBaseReader(tinyConfig, freeze)
afterAll(() => reader.dispose())

const asked = [{ tokens: Int32Array.of(1, 2, 3, 4, 5), from: 1, place: { prompt: 0, sample: 0 } }]
const draw = { temperature: 1.3, seed: 'adapted' }
const rules = { ...draw, topP: 1, tolerance: samplingTolerances.float32 }

function adapterOf(lora: Omit<LoraConfig, 'rankStabilized'>, rankStabilized = false): LoraAdapter {
  const adapter = initLora(tinyConfig, { ...lora, rankStabilized }, 'adapter')
  for (const { data } of adapter.factors.values()) for (let i = 0; i < data.length; i++) data[i] = Math.sin(i) / 8
  return adapter
}

test('one session reads adapters of every rank, scale and choice of modules, as a session of their own does', async () => {
  const adapters = [
    adapterOf({ rank: 4, alpha: 8, targets: ['q_proj', 'down_proj'] }),
    adapterOf({ rank: 7, alpha: 3, targets: allLinear }, true),
    adapterOf({ rank: 1, alpha: 1, targets: ['model.layers.0.self_attn.o_proj'] }),
  ]
  const firsts: number[] = []
  for (const adapter of adapters) {
    const [found] = await reader.read(adapter, asked, rules)
    const own = await createDrawReader(tinyConfig, freeze, { adapter })
    const [expected] = await own.read(asked, draw).finally(own.dispose)
    for (const i of [0, 1, 2, 3]) expect(found?.logprob[i]).toBeCloseTo(expected?.logprob[i] as number, 5)
    firsts.push(found?.logprob[3] as number)
  }
  expect(new Set(firsts.map(value => value.toFixed(3))).size).toBe(3)
})

test('a long sequence leaves no memory behind in a base that stays loaded', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const megabytes = () => {
    collect()
    return process.memoryUsage().rss / 1e6
  }
  const config = { ...tinyConfig, vocabSize: 49_152, maxPositions: 2_048 }
  const lasting = await createBaseReader(config, bakedParts(config, initWeights(config, 'long')))
  const adapter = initLora(config, { rank: 1, alpha: 1, targets: ['q_proj'], rankStabilized: false }, 'long')
  const read = (length: number) => {
    const tokens = Int32Array.from({ length }, (_, at) => at)
    return lasting.read(adapter, [{ tokens, from: 1, place: { prompt: 0, sample: 0 } }], rules)
  }
  await read(16)
  const before = megabytes()
  // Its probabilities take 295 MB. Those that JavaScript held return some collections later; those of an arena never do.
  await read(1_500)
  await expect.poll(megabytes).toBeLessThan(before + 200)
  await lasting.dispose()
})
