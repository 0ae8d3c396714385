import { afterAll, describe, expect, test } from 'vitest'
import { initWeights } from '../decoder/initWeights.ts'
import { referenceLogprobs } from '../decoder/referenceDecoder.ts'
import { tinyConfig, tinyWeights } from '../decoder/tinyDecoder.ts'
import type { Completion } from '../generation/completion.ts'
import { createGenerator } from '../generation/generate.ts'
import { initLora, mergeLora } from '../lora/loraFactors.ts'
import { ModelInputError } from '../modelErrors.ts'
import { bakedParts } from '../quantization/frozenParts.ts'
import { createDrawReader, type SequenceDraws } from './drawReader.ts'
import { nucleusTolerance, samplingTolerances } from './samplingTolerances.ts'
import { tokenUniforms } from './tokenUniforms.ts'
import { completionUniforms, forgiven, type SamplingVerdict, verifySampling } from './verifySampling.ts'

const weights = tinyWeights()
const generator = createGenerator(tinyConfig, weights)
const reader = await createDrawReader(tinyConfig, bakedParts(tinyConfig, weights))
afterAll(() => Promise.all([generator.dispose(), reader.dispose()]))

const prompts = [Int32Array.of(3, 1, 4), Int32Array.of(9, 2, 6, 5, 3, 5)]
const temperature = 1.3
const samplesPerPrompt = 8
const request = { prompts, samplesPerPrompt, temperature, maxNewTokens: 12, stopToken: 0 }
const tolerance = samplingTolerances.float32

const read = (of: readonly Completion[], from = reader) =>
  from.read(
    of.map(({ prompt, tokens }) => {
      const asked = prompts[prompt] as Int32Array
      return { tokens: Int32Array.of(...asked, ...tokens), from: asked.length }
    }),
    { temperature },
  )

/** Verdicts on completions of a whole request, in its order, as if sampled from `seed`. */
async function verdicts(
  of: readonly Completion[],
  seed: string,
  from = reader,
  forgiving = tolerance,
): Promise<SamplingVerdict[]> {
  const uniforms = tokenUniforms(seed)
  const draws = await read(of, from)
  return of.map(({ prompt, tokens, logprobs }, i) => {
    const place = { prompt, sample: i % samplesPerPrompt }
    const claim = { uniforms: completionUniforms(uniforms, place, tokens.length), logprobs }
    return verifySampling(draws[i] as SequenceDraws, claim, forgiving)
  })
}

const followed = (all: readonly SamplingVerdict[]) => all.filter(({ follows }) => follows).length

describe('a completion', () => {
  const honest = generator.generate({ ...request, seed: 'honest' })

  test('that was sampled from its seed follows', async () => {
    expect(followed(await verdicts(await honest, 'honest'))).toBe(16)
  })

  test('of another seed does not', async () => {
    expect(followed(await verdicts(await honest, 'another'))).toBe(0)
  })

  test('of another policy does not', async () => {
    const other = tinyWeights()
    for (const { data } of other.values()) for (let i = 0; i < data.length; i++) data[i] = (data[i] as number) * 1.05
    const others = await createDrawReader(tinyConfig, bakedParts(tinyConfig, other))
    expect(followed(await verdicts(await honest, 'honest', others))).toBe(0)
    await others.dispose()
  })

  test('with one token changed does not, from that token on', async () => {
    const edited = (await honest).map(completion => ({ ...completion, tokens: Int32Array.from(completion.tokens) }))
    const at = edited.map(({ tokens }, i) => i % tokens.length)
    for (const [i, { tokens }] of edited.entries()) {
      const place = at[i] as number
      tokens[place] = ((tokens[place] as number) + 7) % tinyConfig.vocabSize
    }
    for (const [i, verdict] of (await verdicts(edited, 'honest')).entries())
      expect(verdict).toMatchObject({ follows: false, at: at[i], what: 'token' })
  })

  test.each([0.01, -12, Number.NaN, Number.NEGATIVE_INFINITY])(
    'whose log-probabilities are forged by %d does not',
    async by => {
      const forged = (await honest).map(one => ({ ...one, logprobs: one.logprobs.map((x, i) => (i ? x : x + by)) }))
      for (const verdict of await verdicts(forged, 'honest'))
        expect(verdict).toMatchObject({ follows: false, at: 0, what: 'logprob' })
    },
  )

  test('with too few claimed log-probabilities does not', async () => {
    const short = (await honest).map(one => ({ ...one, logprobs: one.logprobs.subarray(1) }))
    expect(followed(await verdicts(short, 'honest'))).toBe(0)
  })

  test('is replayed by its numbers, bit for bit', async () => {
    const [one] = (await honest).slice(11)
    const second = { promptNumbers: [1], sampleNumbers: [3], prompts: prompts.slice(1), samplesPerPrompt: 1 }
    const [again] = await generator.generate({ ...request, ...second, seed: 'honest' })
    expect(again).toEqual({ ...one, prompt: 0 })
  })
})

test('draws are those of the definition', async () => {
  const tokens = Int32Array.of(5, 8, 2, 7)
  const [draws] = await reader.read([{ tokens, from: 2 }], { temperature })
  for (const at of [2, 3]) {
    const logprobs = referenceLogprobs(tinyConfig, weights, [...tokens.subarray(0, at)])
    const odds = logprobs.map(x => Math.exp(x / temperature))
    const total = odds.reduce((sum, x) => sum + x, 0)
    const token = tokens[at] as number
    const below = odds.slice(0, token).reduce((sum, x) => sum + x, 0)
    expect(draws?.below[at - 2]).toBeCloseTo(below / total, 5)
    expect(draws?.logprobs[at - 2]).toBeCloseTo(Math.log((odds[token] as number) / total), 4)
  }
})

describe('of a nucleus', async () => {
  const config = { ...tinyConfig, vocabSize: 4224 }
  const large = initWeights(config, 'large')
  const [sampler, checker] = [
    createGenerator(config, large),
    await createDrawReader(config, bakedParts(config, large), { topP: 0.99 }),
  ]
  const ofNucleus = { ...request, stopToken: -1, seed: 'nucleus' }
  afterAll(() => Promise.all([sampler.dispose(), checker.dispose()]))

  test('a completion follows that was drawn from it', async () => {
    const sampled = await sampler.generate({ ...ofNucleus, topP: 0.99 })
    expect(await verdicts(sampled, 'nucleus', checker, nucleusTolerance)).toEqual(
      Array(16).fill({ follows: true, swaps: 0 }),
    )
    expect(followed(await verdicts(sampled, 'others', checker))).toBe(0)
  })

  test('a token outside is refuted wherever its random number lies, unless kernels may disagree on it', () => {
    const place = { logprobs: Float32Array.of(Math.log(0.25)), below: Float32Array.of(0.5) }
    const verdict = (uniform: number, outside: number, unsure = 0) =>
      verifySampling(
        { ...place, edge: { outside: Float32Array.of(outside), unsure: Float32Array.of(unsure) } },
        { uniforms: [uniform], logprobs: place.logprobs },
        nucleusTolerance,
      )
    expect(verdict(0.6, 0)).toEqual({ follows: true, swaps: 0 })
    expect(verdict(0.6, 9e-6).follows).toBe(true)
    expect(verdict(0.6, 2e-4)).toMatchObject({ follows: false, at: 0, what: 'token', off: expect.closeTo(2e-4, 6) })
    expect(verdict(0.499, 0)).toMatchObject({ follows: false, what: 'token' })
    expect(verdict(0.499, 0, 0.002).follows).toBe(true)
  })
})

test('completions of a vocabulary that is drawn from in blocks follow', async () => {
  const config = { ...tinyConfig, vocabSize: 4224 }
  const large = initWeights(config, 'large')
  const [sampler, checker] = [createGenerator(config, large), await createDrawReader(config, bakedParts(config, large))]
  const sampled = await sampler.generate({ ...request, stopToken: -1, seed: 'blocks' })
  expect(followed(await verdicts(sampled, 'blocks', checker))).toBe(16)
  expect(followed(await verdicts(sampled, 'others', checker))).toBe(0)
  await Promise.all([sampler.dispose(), checker.dispose()])
})

test('an adapter is part of the policy', async () => {
  const lora = { rank: 4, alpha: 8, targets: ['q_proj', 'down_proj'], rankStabilized: false }
  const adapter = initLora(tinyConfig, lora, 'adapter')
  for (const { data } of adapter.factors.values()) for (let i = 0; i < data.length; i++) data[i] = Math.sin(i) / 4
  const adapted = await createDrawReader(tinyConfig, bakedParts(tinyConfig, weights), { adapter })
  const merged = await createDrawReader(tinyConfig, bakedParts(tinyConfig, mergeLora(weights, adapter)))
  const asked = [{ tokens: Int32Array.of(1, 2, 3, 4, 5), from: 1 }]
  const readings = await Promise.all([adapted, merged, reader].map(one => one.read(asked, { temperature })))
  const [a, b, base] = readings.map(([draws]) => draws)
  for (const i of [0, 1, 2, 3]) expect(a?.logprobs[i]).toBeCloseTo(b?.logprobs[i] as number, 4)
  expect(a?.logprobs[3]).not.toBeCloseTo(base?.logprobs[3] as number, 2)
  await Promise.all([adapted.dispose(), merged.dispose()])
})

test('a uniform near a boundary is a swap, within the tolerance', () => {
  const draws = { logprobs: Float32Array.of(Math.log(0.25)), below: Float32Array.of(0.5) }
  const verdict = (uniform: number) =>
    verifySampling(
      draws,
      { uniforms: [uniform], logprobs: draws.logprobs },
      { cumulative: 0.01, shift: 0.01, logprob: 0.1 },
    )
  expect(verdict(0.6)).toEqual({ follows: true, swaps: 0 })
  expect(verdict(0.495)).toEqual({ follows: true, swaps: 1 })
  expect(verdict(0.755)).toEqual({ follows: true, swaps: 1 })
  expect(verdict(0.485)).toMatchObject({ follows: null, at: 0, what: 'token' })
  expect(verdict(0.475)).toMatchObject({ follows: false, at: 0, what: 'token' })
  expect(verdict(Number.NaN)).toMatchObject({ follows: false })
})

test('a claim on the edge is true or untold to checks that differ by less than a tolerance, and never true to one and false to another', () => {
  const read = (logprob: number) => ({ logprobs: Float32Array.of(logprob), below: Float32Array.of(0.5) })
  const tolerance = { cumulative: 0.01, shift: 0.01, logprob: 1e-3 }
  const verdict = (logprob: number, claimed: number) =>
    verifySampling(read(logprob), { uniforms: [0.55], logprobs: Float32Array.of(claimed) }, tolerance).follows
  for (let claimed = -1; claimed < -0.995; claimed += 1e-4) {
    const found = [-1, -1 + 9e-4].map(logprob => verdict(logprob, claimed))
    expect([claimed, found.includes(true) && found.includes(false)]).toEqual([claimed, false])
  }
  // What is false later on decides, whatever was untold before.
  const both = { logprobs: Float32Array.of(-1, -1), below: Float32Array.of(0.5, 0.5) }
  const claim = { uniforms: [0.55, 0.55], logprobs: Float32Array.of(-1.0015, -1.1) }
  expect(verifySampling(both, claim, tolerance)).toMatchObject({ follows: false, at: 1, what: 'logprob' })
})

test.each([
  [0.3, 0.01],
  [1e-5, 2.59e-3],
  [1e-9, 3e-5],
])('of a token of probability %d a shift of %d is forgiven', (probability, most) => {
  expect(forgiven(samplingTolerances.int8, probability)).toBeCloseTo(most, 6)
})

test('greedy completions are refused: nothing is drawn', async () => {
  await expect(reader.read([{ tokens: Int32Array.of(1, 2), from: 1 }], { temperature: 0 })).rejects.toThrow(
    ModelInputError,
  )
})
