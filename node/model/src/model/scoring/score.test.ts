import { expect, test } from 'vitest'
import { encodeModel } from '#engine/onnxModel.ts'
import { createSession, tensor } from '#engine/session.ts'
import { decoderFeeds } from '../decoder/batch.ts'
import { referenceLogprobs } from '../decoder/referenceDecoder.ts'
import { tinyConfig, tinyWeights } from '../decoder/tinyDecoder.ts'
import { copyWeights } from '../decoder/weights.ts'
import { createGenerator } from '../generation/generate.ts'
import { ModelInputError } from '../modelErrors.ts'
import { createScorer } from './score.ts'
import type { SequenceToScore } from './scoringTasks.ts'
import { tokenScores } from './tokenScores.ts'

const weights = tinyWeights()
const scorer = createScorer(tinyConfig, weights)
const sequence = (length: number, from: number, first = 0): SequenceToScore => ({
  tokens: Int32Array.from({ length }, (_, i) => (first + 7 * i) % 24),
  from,
})
const ragged = [
  sequence(2, 1),
  sequence(20, 5, 3),
  sequence(17, 16, 1),
  sequence(18, 1, 2),
  sequence(40, 30),
  sequence(65, 60),
]

test('log-probabilities and gaps are those of the definition', async () => {
  const scores = await scorer.score(ragged)
  for (const [i, { tokens, from }] of ragged.entries()) {
    for (let t = from; t < tokens.length; t++) {
      const expected = referenceLogprobs(tinyConfig, weights, tokens.subarray(0, t))
      const logprob = expected[tokens[t] as number] as number
      expect(Math.abs((scores[i]?.logprobs[t - from] as number) - logprob)).toBeLessThan(1e-4)
      expect(Math.abs((scores[i]?.gaps[t - from] as number) - (Math.max(...expected) - logprob))).toBeLessThan(1e-4)
    }
    expect(scores[i]?.logprobs.length).toBe(tokens.length - from)
  }
})

test('scores do not depend on what else is in the call, on its order or on the threads, bit for bit', async () => {
  const together = await scorer.score([
    ...ragged,
    ...Array.from({ length: 90 }, (_, i) => sequence(2 + (i % 60), 1, i)),
  ])
  for (const [i, one] of ragged.entries()) expect((await scorer.score([one]))[0]).toEqual(together[i])
  expect((await scorer.score([...ragged].reverse())).reverse()).toEqual(together.slice(0, ragged.length))
  const other = createScorer(tinyConfig, weights, { threads: 2 })
  expect(await other.score(ragged)).toEqual(together.slice(0, ragged.length))
  await other.dispose()
})

test('a sequence that no memory holds is refused before any is allocated, and the scorer still works', async () => {
  const long = createScorer({ ...tinyConfig, maxPositions: 1 << 20 }, weights)
  const tokens = new Int32Array(1 << 20)
  const refused = /1048575 tokens of sequence 1 at once take 6\d{4}\.\d GB where .* are available/
  await expect(long.score([sequence(20, 5), { tokens, from: 1 << 19 }])).rejects.toThrow(refused)
  await expect(long.choose([{ tokens, candidates: [3] }])).rejects.toThrow(/1048576 tokens of choice 0 at once/)
  expect(await long.score([sequence(20, 5)])).toEqual(await scorer.score([sequence(20, 5)]))
  await long.dispose()
})

test('a choice between tokens is what scoring each of them says, and as reproducible', async () => {
  const choices = ragged.map(({ tokens }) => ({ tokens: tokens.subarray(0, -1), candidates: [3, 11] }))
  const chosen = await scorer.choose(choices)
  for (const [i, { tokens, candidates }] of choices.entries()) {
    const scored = candidates.map(token => ({ tokens: Int32Array.of(...tokens, token), from: tokens.length }))
    expect([...(chosen[i] as Float32Array)]).toEqual((await scorer.score(scored)).map(({ logprobs }) => logprobs[0]))
    expect((await scorer.choose([{ tokens, candidates: [11] }]))[0]?.[0]).toBe(chosen[i]?.[1])
  }
  await expect(scorer.choose([{ tokens: new Int32Array(0), candidates: [1] }])).rejects.toThrow(ModelInputError)
  await expect(scorer.choose([{ tokens: Int32Array.of(1), candidates: [24] }])).rejects.toThrow(ModelInputError)
})

test('the generator says of its tokens what the scorer and the decoder of training say', async () => {
  const generator = createGenerator(tinyConfig, weights)
  const prompts = [Int32Array.of(1), Int32Array.of(5, 6, 7, 8), Int32Array.from({ length: 20 }, (_, i) => i)]
  const completions = await generator.generate({
    prompts,
    samplesPerPrompt: 4,
    maxNewTokens: 30,
    temperature: 1,
    stopToken: 0,
    seed: 'agree',
  })
  const sequences = completions.map(({ prompt, tokens }) => {
    const text = prompts[prompt] as Int32Array
    return { tokens: Int32Array.of(...text, ...tokens), from: text.length }
  })
  const generated = Float32Array.from(completions.flatMap(c => [...c.logprobs]))
  const scored = Float32Array.from((await scorer.score(sequences)).flatMap(s => [...s.logprobs]))
  expect(largestDifference(generated, scored)).toBeLessThan(1e-4)

  const training = await createSession(encodeModel({ logprobs: tokenScores(tinyConfig).logprobs }))
  const { feeds } = decoderFeeds(
    tinyConfig,
    sequences.map(({ tokens, from }) => ({
      tokens,
      scored: Int32Array.from({ length: tokens.length - from }, (_, i) => from + i),
    })),
  )
  for (const [name, { shape, data }] of weights) feeds[name] = tensor('f32', data, shape)
  const { logprobs } = await training.run(feeds)
  expect(largestDifference(generated, logprobs?.data as Float32Array)).toBeLessThan(1e-4)
  await training.dispose()
  await generator.dispose()
})

test('weights changed in place count from the next call on', async () => {
  const live = copyWeights(weights)
  const own = createScorer(tinyConfig, live)
  await own.score(ragged)
  live.get('model.norm.weight')?.data.fill(0)
  const [flat] = await own.score([sequence(5, 1)])
  expect(flat?.gaps).toEqual(new Float32Array(4))
  expect(flat?.logprobs[0]).toBeCloseTo(-Math.log(24), 5)
  await own.dispose()
})

test('a sequence of which nothing is scored has empty scores', async () => {
  expect(await scorer.score([sequence(5, 5)])).toEqual([{ logprobs: new Float32Array(0), gaps: new Float32Array(0) }])
  expect(await scorer.score([])).toEqual([])
})

test('sequences that cannot be scored are refused, and an abort takes effect', async () => {
  await expect(scorer.score([sequence(5, 0)])).rejects.toThrow(ModelInputError)
  await expect(scorer.score([sequence(5, 6)])).rejects.toThrow(ModelInputError)
  await expect(scorer.score([sequence(66, 1)])).rejects.toThrow(ModelInputError)
  await expect(scorer.score([{ tokens: Int32Array.of(1, -1), from: 1 }])).rejects.toThrow(ModelInputError)
  await expect(scorer.score(ragged, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
})

function largestDifference(a: Float32Array, b: Float32Array): number {
  expect(a.length).toBe(b.length)
  return a.reduce((most, x, i) => Math.max(most, Math.abs(x - (b[i] as number))), 0)
}
