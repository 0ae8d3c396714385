import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createGenerator } from '../generation/generate.ts'
import { createScorer } from '../scoring/score.ts'
import { architectures, type DecoderConfig } from './decoderConfig.ts'
import { referenceLogprobs } from './referenceDecoder.ts'
import { tinyConfig, tinyWeights } from './tinyDecoder.ts'

const shapes: fc.Arbitrary<DecoderConfig> = fc
  .record({
    architecture: fc.constantFrom(...architectures),
    vocabSize: fc.integer({ min: 2, max: 40 }),
    hiddenSize: fc.integer({ min: 1, max: 24 }),
    layers: fc.integer({ min: 1, max: 3 }),
    group: fc.integer({ min: 1, max: 4 }),
    kvHeads: fc.integer({ min: 1, max: 3 }),
    headDim: fc.integer({ min: 1, max: 12 }).map(half => 2 * half),
    intermediateSize: fc.integer({ min: 1, max: 32 }),
    attentionBias: fc.constantFrom('none' as const, 'qkv' as const, 'all' as const),
    mlpBias: fc.boolean(),
    queryKeyNorm: fc.boolean(),
    tieWordEmbeddings: fc.boolean(),
  })
  .map(({ group, ...shape }) => ({ ...tinyConfig, ...shape, heads: group * shape.kvHeads }))

/** Prompts of different lengths, which share batches and are padded, and how many completions each has. */
const calls = fc.record({
  lengths: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 }),
  samples: fc.integer({ min: 1, max: 3 }),
  first: fc.nat(100),
})

test('a decoder of any shape generates and scores any batch by its definition', async () => {
  await fc.assert(
    fc.asyncProperty(shapes, calls, async (config, { lengths, samples, first }) => {
      const weights = tinyWeights(config)
      const prompts = lengths.map((length, p) =>
        Int32Array.from({ length }, (_, i) => (first + 7 * p + 3 * i * i) % config.vocabSize),
      )
      const generator = createGenerator(config, weights)
      const options = { samplesPerPrompt: samples, maxNewTokens: 4, temperature: 1, stopToken: -1, seed: 'shapes' }
      const completions = await generator.generate({ prompts, ...options })
      await generator.dispose()
      const sequences = completions.map(({ prompt, tokens }) => ({
        tokens: Int32Array.of(...(prompts[prompt] as Int32Array), ...tokens),
        from: lengths[prompt] as number,
      }))
      const scorer = createScorer(config, weights)
      const scores = await scorer.score(sequences)
      await scorer.dispose()
      for (const [i, { tokens, from }] of sequences.entries()) {
        for (const t of [from, tokens.length - 1]) {
          const expected = referenceLogprobs(config, weights, tokens.subarray(0, t))[tokens[t] as number] as number
          expect(Math.abs((completions[i]?.logprobs[t - from] as number) - expected)).toBeLessThan(1e-3)
          expect(Math.abs((scores[i]?.logprobs[t - from] as number) - expected)).toBeLessThan(1e-3)
        }
      }
    }),
    { numRuns: 20 },
  )
})
