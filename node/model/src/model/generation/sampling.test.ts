import { afterAll, expect, test } from 'vitest'
import { referenceLogprobs } from '../decoder/referenceDecoder.ts'
import { tinyConfig, tinyWeights } from '../decoder/tinyDecoder.ts'
import { ModelInputError } from '../modelErrors.ts'
import { createScorer } from '../scoring/score.ts'
import type { Completion, GenerateOptions, StreamedToken } from './completion.ts'
import { createGenerator } from './generate.ts'
import { drawFiltered } from './samplingFilters.ts'
import { tokenRaces } from './tokenRaces.ts'

const weights = tinyWeights()
const generator = createGenerator(tinyConfig, weights)
afterAll(() => generator.dispose())
const prompts = [Int32Array.of(3, 1, 4), Int32Array.of(9, 2, 6, 5, 3, 5)]
const filters = { topK: 9, topP: 0.8, minP: 0.05 }

const ask = (options: Partial<GenerateOptions> = {}): Promise<Completion[]> =>
  generator.generate({
    prompts,
    samplesPerPrompt: 4,
    maxNewTokens: 10,
    temperature: 1.3,
    stopToken: 0,
    seed: 'filtered',
    ...options,
  })

test('filtered tokens and their log-probabilities are those of the definition', async () => {
  const races = tokenRaces('filtered')
  for (const [i, { tokens, logprobs, prompt }] of (await ask(filters)).entries()) {
    const text = [...(prompts[prompt] as Int32Array)]
    for (const [step, token] of tokens.entries()) {
      const race = races({ prompt, sample: i % 4, step })
      const model = Float32Array.from(referenceLogprobs(tinyConfig, weights, text))
      const expected = drawFiltered(model, { ...filters, temperature: 1.3 }, text, race)
      expect(token).toBe(expected.token)
      expect(logprobs[step]).toBeCloseTo(expected.logprob, 4)
      text.push(token)
    }
  }
})

test('filtered completions do not depend on what else is in the call, bit for bit', async () => {
  const penalised = { ...filters, repetitionPenalty: 1.4 }
  const together = await ask(penalised)
  expect(await ask(penalised)).toEqual(together)
  const [, second] = prompts as [Int32Array, Int32Array]
  const alone = await ask({ ...penalised, prompts: [second], promptNumbers: [1], samplesPerPrompt: 1 })
  expect(alone).toEqual([{ ...together[4], prompt: 0 }])
  expect(await ask(filters)).not.toEqual(together)
})

test.each([{}, filters])('every token is reported as it is drawn, step by step: %o', async given => {
  const told: StreamedToken[] = []
  const running = ask({ ...given, onToken: token => told.push(token) })
  for (let turn = 0; told.length === 0 && turn < 10_000; turn++) await new Promise(setImmediate)
  expect(told.length).toBeLessThan(20) // of 80 at most: the rest is still to come
  const completions = await running
  for (const [i, { prompt, tokens, logprobs }] of completions.entries()) {
    const own = told.filter(token => token.prompt === prompt && token.sample === i % 4)
    expect(own.map(({ token }) => token)).toEqual([...tokens])
    expect(own.map(({ logprob }) => Math.fround(logprob))).toEqual([...logprobs])
  }
  // Rows take turns: the first tokens of all come before the second of any.
  expect(new Set(told.slice(0, 8).map(({ prompt, sample }) => `${prompt} ${sample}`)).size).toBe(8)
})

test('prompts that are prefilled in several parts are read whole, together with short ones too', async () => {
  const config = { ...tinyConfig, maxPositions: 1024 }
  const long = createGenerator(config, weights)
  const scorer = createScorer(config, weights)
  const given = [700, 12, 300, 257].map((length, k) =>
    Int32Array.from({ length }, (_, i) => (5 * i + i * i * (k + 1)) % 24),
  )
  const request = { temperature: 1, stopToken: -1, seed: 'long', maxNewTokens: 3, samplesPerPrompt: 2 }
  const completions = await long.generate({ ...request, prompts: given })
  for (const { prompt, tokens, logprobs } of completions) {
    const read = given[prompt] as Int32Array
    const [scores] = await scorer.score([{ tokens: Int32Array.of(...read, ...tokens), from: read.length }])
    for (const [i, logprob] of logprobs.entries()) expect(logprob).toBeCloseTo(scores?.logprobs[i] as number, 4)
  }
  for (const [i, prompt] of given.entries()) {
    const alone = await long.generate({ ...request, prompts: [prompt], promptNumbers: [i], samplesPerPrompt: 1 })
    expect(alone).toEqual([{ ...completions[2 * i], prompt: 0 }])
  }
  await Promise.all([long.dispose(), scorer.dispose()])
})

test('filters that make no sense are refused', async () => {
  for (const given of [
    { topK: 0 },
    { topK: 1.5 },
    { topP: 0 },
    { topP: 1.1 },
    { minP: -0.1 },
    { minP: 2 },
    { repetitionPenalty: 0 },
    { repetitionPenalty: Number.NaN },
  ])
    await expect(ask(given), JSON.stringify(given)).rejects.toThrow(ModelInputError)
})
