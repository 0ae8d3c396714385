import { describe, expect, test } from 'vitest'
import { randomStream } from '#base/random.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import { initWeights } from '#model/decoder/initWeights.ts'
import { tinyConfig, tinyFamilies, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import type { Weights } from '#model/decoder/weights.ts'
import { initLora, type LoraAdapter } from '#model/lora/loraFactors.ts'
import { createMonolithicPass, type GradientSums } from '../passes/gradientPass.ts'
import type { KeptActivations } from '../passes/layeredPassOptions.ts'
import { type PolicySequence, policyTargets } from '../passes/policyBatch.ts'
import type { LossKind } from '../passes/trainingGraphs.ts'
import { createLayeredPass } from './layeredPass.ts'

const token: LossKind = { kind: 'policy', clipLow: 0.2, clipHigh: 0.28, klBeta: 0.04, importanceSamplingLevel: 'token' }
const sequence: LossKind = { ...token, importanceSamplingLevel: 'sequence' }

function targetsOf(config: DecoderConfig, lengths: readonly number[]) {
  const random = randomStream('layered', lengths.join())
  const batch = lengths.map((length): PolicySequence => {
    const tokens = Int32Array.from({ length }, () => random.integer(config.vocabSize))
    const scored = Int32Array.from({ length: length - 3 }, (_, i) => i + 3)
    const logprobs = () => Float32Array.from(scored, () => -3 + random.normal())
    return { tokens, scored, advantage: random.normal(), oldLogprobs: logprobs(), referenceLogprobs: logprobs() }
  })
  return policyTargets(batch, token as Extract<LossKind, { kind: 'policy' }>)
}

/** Completions of some lengths after one prompt of 20 tokens. */
function groupOf(config: DecoderConfig, lengths: readonly number[]) {
  const random = randomStream('group', lengths.join())
  const draw = (length: number) => Int32Array.from({ length }, () => random.integer(config.vocabSize))
  const prompt = draw(20)
  const batch = lengths.map((length): PolicySequence => {
    const scored = Int32Array.from({ length }, (_, i) => i + prompt.length)
    const logprobs = () => Float32Array.from(scored, () => -3 + random.normal())
    const tokens = Int32Array.of(...prompt, ...draw(length))
    return { tokens, scored, advantage: random.normal(), oldLogprobs: logprobs(), referenceLogprobs: logprobs() }
  })
  return policyTargets(batch, token as Extract<LossKind, { kind: 'policy' }>)
}

/** Two or three completions of some length after each of several prompts, which begin with the same 18 tokens and end differently. */
function groupsOf(config: DecoderConfig, lengths: readonly number[]) {
  const random = randomStream('groups', lengths.join())
  const draw = (length: number) => Int32Array.from({ length }, () => random.integer(config.vocabSize))
  const beginning = draw(18)
  const batch = lengths.flatMap((length, g) => {
    const prompt = Int32Array.of(...beginning, ...draw(2 + ((3 * g) % 7)))
    return Array.from({ length: 2 + (g % 2) }, (_, i): PolicySequence => {
      const own = Math.max(1, length - i)
      const scored = Int32Array.from({ length: own }, (_, at) => at + prompt.length)
      const logprobs = () => Float32Array.from(scored, () => -3 + random.normal())
      const tokens = Int32Array.of(...prompt, ...draw(own))
      return { tokens, scored, advantage: random.normal(), oldLogprobs: logprobs(), referenceLogprobs: logprobs() }
    })
  })
  return policyTargets(batch, token as Extract<LossKind, { kind: 'policy' }>)
}

function adapterOf(
  config: DecoderConfig,
  targets = ['q_proj', 'v_proj', 'o_proj', 'up_proj', 'down_proj'],
): LoraAdapter {
  const lora = { rank: 3, alpha: 6, targets, rankStabilized: false }
  const adapter = initLora(config, lora, 'layered')
  for (const [name, { data }] of adapter.factors) {
    if (name.endsWith('lora_B.weight')) data.set(data.map((_, i) => 0.1 * Math.sin(i + name.length)))
  }
  return adapter
}

interface Case {
  readonly adapter?: LoraAdapter
  readonly trained?: (name: string) => boolean
  readonly loss?: LossKind
  readonly kept?: KeptActivations
  readonly config?: DecoderConfig
  readonly batches?: readonly (readonly number[])[]
  readonly targets?: typeof targetsOf
}

const known = new Map<DecoderConfig, Weights>()

/** Made once: they are only read. Peaked distributions have no gradient in wide models. */
function weightsOf(config: DecoderConfig): Weights {
  const weights = known.get(config) ?? (config === wide ? initWeights(config, 'wide') : tinyWeights(config))
  known.set(config, weights)
  return weights
}

interface Sums {
  readonly total: number
  readonly sums: GradientSums
}

/** Sums of a layered pass, or of one graph. */
async function sumsOf({ kept, ...each }: Omit<Case, 'kept'> & { kept: KeptActivations | 'all' }): Promise<Sums> {
  const { adapter, trained, loss = token, config = tinyConfig, batches = [[9, 12, 7]], targets = targetsOf } = each
  const isTrained = trained ?? ((name: string) => !adapter || name.includes('lora_'))
  const options = { threads: 1, temperature: 0.9, adapter, trained: isTrained }
  const weights = weightsOf(config)
  const pass =
    kept === 'all'
      ? createMonolithicPass(config, weights, options)
      : await createLayeredPass(config, weights, { ...options, kept, headRows: 1024 })
  const sums: GradientSums = new Map()
  let total = 0
  for (const lengths of batches) total += await pass.run(loss, targets(config, lengths), sums)
  await pass.dispose()
  return { total, sums }
}

/** Sums of both passes over the same parts. */
const both = async (each: Case): Promise<[Sums, Sums]> => [
  await sumsOf({ ...each, kept: 'all' }),
  await sumsOf({ kept: 'products', ...each }),
]

const bitsOf = ({ buffer, byteOffset, byteLength }: Float32Array) => Buffer.from(buffer, byteOffset, byteLength)

function expectEqual(some: Sums, others: Sums): void {
  expect(some.total).toBe(others.total)
  expect([...some.sums.keys()].sort()).toEqual([...others.sums.keys()].sort())
  expect(some.sums.size).toBeGreaterThan(10)
  for (const [name, gradient] of others.sums) {
    expect(bitsOf(some.sums.get(name) as Float32Array).equals(bitsOf(gradient)), name).toBe(true)
    expect(
      gradient.reduce((sum, x) => sum + Math.abs(x), 0),
      name,
    ).toBeGreaterThan(0)
  }
}

const untied: DecoderConfig = { ...tinyConfig, tieWordEmbeddings: false, layers: 3 }
/** Products of this depth are sums in blocks, in which an addition within a product's kernel has other bits than one after it. */
const wide: DecoderConfig = { ...tinyConfig, hiddenSize: 512, heads: 8, headDim: 64, intermediateSize: 768 }
const everywhere = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']
const layersAlone = (name: string) => name.startsWith('model.layers.') || name === 'model.norm.weight'

const cases: Record<string, Case> = {
  'all weights': {},
  'all weights, each layer computed again': { kept: 'input' },
  'an untied output layer': { config: untied },
  'the layers alone': { trained: layersAlone },
  'an adapter': { adapter: adapterOf(tinyConfig) },
  'an adapter, each layer computed again': { adapter: adapterOf(tinyConfig), kept: 'input' },
  'an adapter of other modules in each layer, and of none in the first': {
    config: untied,
    adapter: adapterOf(untied, [
      ...['layers.1.self_attn.k_proj', 'layers.1.mlp.down_proj'],
      ...['q_proj', 'v_proj', 'o_proj'].map(name => `layers.2.self_attn.${name}`),
      'model.layers.2.mlp.up_proj',
    ]),
  },
  'ratios of sequences': { loss: sequence },
  'several parts, the later ones larger and smaller': { batches: [[9, 7], [14, 5, 12], [6]] },
  'all weights, 512 wide': { config: wide },
  'the layers alone, 512 wide, each computed again': { config: wide, trained: layersAlone, kept: 'input' },
  'an adapter, 512 wide': { config: wide, adapter: adapterOf(wide, everywhere) },
  'an adapter, 512 wide, each layer computed again': {
    config: wide,
    adapter: adapterOf(wide, everywhere),
    kept: 'input',
  },
}

describe('layered equals monolithic bit for bit', () => {
  for (const [title, each] of Object.entries(cases)) {
    test(title, async () => {
      const [monolithic, layered] = await both(each)
      expectEqual(layered, monolithic)
    })
  }
})

test.each(['all weights', 'an adapter'])(
  'after a shared prompt layers that are computed again give the bits of those that were kept: %s, 512 wide',
  async kind => {
    const adapter = kind === 'an adapter' ? adapterOf(wide, everywhere) : undefined
    const each = { config: wide, targets: groupOf, ...(adapter ? { adapter } : {}) }
    expectEqual(await sumsOf({ ...each, kept: 'input' }), await sumsOf({ ...each, kept: 'products' }))
  },
)

describe('a prompt that is computed once gives the gradients of one that is computed with each sequence', () => {
  const families = Object.entries(tinyFamilies).map(([title, config]): [string, Case] => [title, { config }])
  const grouped: Record<string, Case> = {
    ...Object.fromEntries(families),
    'an adapter': { adapter: adapterOf(tinyConfig) },
    'an adapter, each layer computed again': { adapter: adapterOf(tinyConfig), kept: 'input' },
    'ratios of sequences': { loss: sequence },
    'completions so short that sequences are added': { batches: [[2, 1]] },
    'several prompts that begin alike': { targets: groupsOf },
    'several prompts, an adapter': { targets: groupsOf, adapter: adapterOf(tinyConfig) },
    'several prompts, one key head for each query head': {
      targets: groupsOf,
      config: { ...tinyConfig, kvHeads: tinyConfig.heads },
    },
    'several prompts, ratios of sequences': { targets: groupsOf, loss: sequence },
    'several prompts whose rows fill a part': { targets: groupsOf, batches: [[9, 12, 11, 8, 10, 12]] },
  }
  for (const [title, each] of Object.entries(grouped)) {
    test(title, async () => {
      const [apart, shared] = await both({
        batches: [
          [9, 12, 7],
          [11, 1],
        ],
        targets: groupOf,
        ...each,
      })
      expect(shared.total).toBeCloseTo(apart.total, 5)
      expect([...shared.sums.keys()].sort()).toEqual([...apart.sums.keys()].sort())
      for (const [name, gradient] of apart.sums) {
        const other = shared.sums.get(name) as Float32Array
        const difference = Math.hypot(...gradient.map((x, i) => x - (other[i] as number)))
        expect(difference / Math.hypot(...gradient), name).toBeLessThan(2e-5)
      }
      expect(shared.sums, 'other sums in the same order').not.toEqual(apart.sums)
    })
  }
})

test('reference log-probabilities after a shared prompt are those of sequences on their own', async () => {
  const targets = groupOf(tinyConfig, [9, 12, 7])
  const options = { threads: 1, temperature: 1, adapter: adapterOf(tinyConfig), trained: () => false }
  const pass = await createLayeredPass(tinyConfig, tinyWeights(tinyConfig), { ...options, kept: 'input', headRows: 9 })
  const shared = await pass.logprobs('base', targets)
  const apart: number[] = []
  for (const target of targets) apart.push(...(await pass.logprobs('base', [target])))
  await pass.dispose()
  expect(shared).toHaveLength(28)
  for (const [i, logprob] of shared.entries()) expect(logprob).toBeCloseTo(apart[i] as number, 5)
})
