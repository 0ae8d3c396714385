import { describe, expect, test } from 'vitest'
import { checkGradients } from '#engine/gradientCheck.ts'
import { gradients } from '#engine/gradients.ts'
import { encodeModel } from '#engine/onnxModel.ts'
import type { Tensor } from '#engine/session.ts'
import { scale, sumOver } from '#engine/tensor.ts'
import { createGenerator } from '../generation/generate.ts'
import { createScorer } from '../scoring/score.ts'
import { tokenScores } from '../scoring/tokenScores.ts'
import { decoderFeeds, realTensor } from './batch.ts'
import { referenceLogprobs } from './referenceDecoder.ts'
import { tinyFamilies, tinyWeights } from './tinyDecoder.ts'

describe.each(Object.entries(tinyFamilies))('%s', (_, config) => {
  const weights = tinyWeights(config)
  const tokens = Int32Array.from({ length: 40 }, (_, i) => (5 * i + 3) % config.vocabSize)

  test('scores by its definition', async () => {
    const scorer = createScorer(config, weights)
    const [scores] = await scorer.score([{ tokens, from: 1 }])
    for (const t of [1, 2, 17, 39]) {
      const expected = referenceLogprobs(config, weights, tokens.subarray(0, t))[tokens[t] as number] as number
      expect(Math.abs((scores?.logprobs[t - 1] as number) - expected)).toBeLessThan(1e-4)
    }
    await scorer.dispose()
  })

  test('generates the most likely tokens by its definition', async () => {
    const generator = createGenerator(config, weights)
    const prompts = [tokens.slice(0, 12), tokens.slice(0, 1)]
    const request = { prompts, samplesPerPrompt: 1, maxNewTokens: 20, temperature: 0, stopToken: -1, seed: 'any' }
    const completions = await generator.generate(request)
    for (const [i, prompt] of prompts.entries()) {
      const made: number[] = []
      for (const [t, token] of completions[i]?.tokens.entries() ?? []) {
        const expected = referenceLogprobs(config, weights, [...prompt, ...made])
        expect(token).toBe(expected.indexOf(Math.max(...expected)))
        expect(Math.abs((completions[i]?.logprobs[t] as number) - (expected[token] as number))).toBeLessThan(1e-4)
        made.push(token)
      }
      expect(made).toHaveLength(20)
    }
    await generator.dispose()
  })

  test('has the gradients of finite differences', async () => {
    const sequences = [9, 6].map(length => ({
      tokens: tokens.subarray(0, length),
      scored: Int32Array.from({ length: length - 3 }, (_, i) => i + 3),
    }))
    const { logprobs, weights: values } = tokenScores(config, 'f64')
    const loss = scale(sumOver(logprobs), -0.1)
    const outputs = gradients(loss, [...values.values()])
    const named = [...values.keys()].map((name, i) => [`gradient.${name}`, outputs[i]])
    const model = encodeModel({ loss, ...Object.fromEntries(named) })
    const feeds: Record<string, Tensor> = {}
    for (const [name, { shape, data }] of weights) feeds[name] = realTensor('f64', data, shape)
    const { feeds: batch } = decoderFeeds(config, sequences, 'f64')
    for (const [name, value] of Object.entries(batch)) if (model.inputs.has(name)) feeds[name] = value
    const { worst, at, checked } = await checkGradients(model, feeds, { perTensor: 3 })
    expect(worst, at).toBeLessThan(1e-6)
    expect(checked).toBeGreaterThan(values.size)
  })
})
