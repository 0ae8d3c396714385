import { afterAll, describe, expect, test } from 'vitest'
import type { DecoderConfig } from '../decoder/decoderConfig.ts'
import { initWeights } from '../decoder/initWeights.ts'
import { referenceLogprobs } from '../decoder/referenceDecoder.ts'
import { tinyConfig, tinyWeights } from '../decoder/tinyDecoder.ts'
import type { Weights } from '../decoder/weights.ts'
import type { Completion } from '../generation/completion.ts'
import { createGenerator } from '../generation/generate.ts'
import { tokenRaces } from '../generation/tokenRaces.ts'
import { initLora, mergeLora } from '../lora/loraFactors.ts'
import { ModelInputError } from '../modelErrors.ts'
import { bakedParts } from '../quantization/frozenParts.ts'
import { createDrawReader, type SequenceDraws } from './drawReader.ts'
import { samplingTolerances } from './samplingTolerances.ts'
import { type SamplingVerdict, verifySampling } from './verifySampling.ts'

const weights = tinyWeights()
const generator = createGenerator(tinyConfig, weights)
const reader = await createDrawReader(tinyConfig, bakedParts(tinyConfig, weights))
afterAll(() => Promise.all([generator.dispose(), reader.dispose()]))

const prompts = [Int32Array.of(3, 1, 4), Int32Array.of(9, 2, 6, 5, 3, 5)]
const temperature = 1.3
const samplesPerPrompt = 8
const request = { prompts, samplesPerPrompt, temperature, maxNewTokens: 12, stopToken: 0 }
const tolerance = samplingTolerances.float32

/** Completions of a whole request, in its order, as if sampled from `seed`. */
const read = (of: readonly Completion[], seed: string, from = reader) =>
  from.read(
    of.map(({ prompt, tokens }, i) => {
      const asked = prompts[prompt] as Int32Array
      const place = { prompt, sample: i % samplesPerPrompt }
      return { tokens: Int32Array.of(...asked, ...tokens), from: asked.length, place }
    }),
    { temperature, seed },
  )

async function verdicts(of: readonly Completion[], seed: string, from = reader): Promise<SamplingVerdict[]> {
  const draws = await read(of, seed, from)
  return of.map(({ logprobs }, i) => verifySampling(draws[i] as SequenceDraws, logprobs, tolerance))
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
  const place = { prompt: 4, sample: 2 }
  const [draws] = await reader.read([{ tokens, from: 2, place }], { temperature, seed: 'defined' })
  for (const at of [2, 3]) {
    const logprobs = referenceLogprobs(tinyConfig, weights, [...tokens.subarray(0, at)])
    const odds = logprobs.map(x => Math.exp(x / temperature))
    const total = odds.reduce((sum, x) => sum + x, 0)
    const race = tokenRaces('defined')({ ...place, step: at - 2 })
    const times = odds.map((x, token) => race.time(token) / (x / total))
    const token = tokens[at] as number
    expect(draws?.behind[at - 2]).toBeCloseTo(Math.log((times[token] as number) / Math.min(...times)), 4)
    expect(draws?.logprob[at - 2]).toBeCloseTo(Math.log((odds[token] as number) / total), 4)
  }
})

/** Each token as the only one of a completion, in several samples: how many would pass. */
async function passing(config: DecoderConfig, policy: Weights, topP: number, samples: number): Promise<number> {
  const from = await createDrawReader(config, bakedParts(config, policy), { topP })
  let count = 0
  for (let sample = 0; sample < samples; sample++) {
    const one = Array.from({ length: config.vocabSize }, (_, token) => ({
      tokens: Int32Array.of(3, 1, token),
      from: 2,
      place: { prompt: 0, sample },
    }))
    const draws = await from.read(one, { temperature: 1, seed: 'chosen' })
    count += draws.filter(draw => verifySampling(draw, draw.logprob, tolerance).follows).length
  }
  await from.dispose()
  return count / samples
}

test.each([1, 0.999])('a policy that is made to leave a choice has none, top-p %d', async topP => {
  const config = { ...tinyConfig, vocabSize: 1024 }
  const flat = initWeights(config, 'flat')
  flat.get('model.norm.weight')?.data.fill(0)
  // Of 4,224 tokens 1.2 and 18 passed where one number inverted the cumulative distribution.
  expect(await passing(config, flat, topP, 4)).toBe(1)
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
    expect(followed(await verdicts(sampled, 'nucleus', checker))).toBe(16)
    expect(followed(await verdicts(sampled, 'others', checker))).toBe(0)
  })
})

test('completions of a large vocabulary follow', async () => {
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
  const asked = [{ tokens: Int32Array.of(1, 2, 3, 4, 5), from: 1, place: { prompt: 0, sample: 0 } }]
  const readings = await Promise.all(
    [adapted, merged, reader].map(one => one.read(asked, { temperature, seed: 'adapted' })),
  )
  const [a, b, base] = readings.map(([draws]) => draws)
  for (const i of [0, 1, 2, 3]) expect(a?.logprob[i]).toBeCloseTo(b?.logprob[i] as number, 4)
  expect(a?.logprob[3]).not.toBeCloseTo(base?.logprob[3] as number, 2)
  await Promise.all([adapted.dispose(), merged.dispose()])
})

/** Result of a check for tokens that are so far behind. */
function drawsOf(behind: readonly number[], { atLeast = behind, logprobs = behind.map(() => -1) } = {}): SequenceDraws {
  const [logprob, zeros] = [Float32Array.from(logprobs), new Float32Array(behind.length)]
  const nats = { behind: Float32Array.from(behind), behindAtLeast: Float32Array.from(atLeast) }
  return { logprob, ...nats, unsure: zeros, rivals: zeros.map(() => 1) }
}

test('a token close behind the first is forgiven and counted, within the tolerance', () => {
  const wide = { ...tolerance, race: 0.01 }
  const verdict = (...behind: Parameters<typeof drawsOf>) =>
    verifySampling(drawsOf(...behind), Float32Array.of(-1, -1), wide)
  expect(verdict([0, 0])).toEqual({ follows: true, forgiven: 0, rivals: 2 })
  expect(verdict([0.0099, 0])).toEqual({ follows: true, forgiven: 1, rivals: 2 })
  expect(verdict([0, 0.015])).toMatchObject({ follows: null, at: 1, what: 'token', off: expect.closeTo(0.015, 6) })
  expect(verdict([0, 0.025])).toMatchObject({ follows: false, at: 1, what: 'token' })
  expect(verdict([0, Number.NaN])).toMatchObject({ follows: false, at: 1 })
  // Kernels may disagree on whether it was there, or on who was first.
  expect(verdict([Number.POSITIVE_INFINITY, 0], { atLeast: [0, 0] })).toMatchObject({ follows: null, at: 0 })
})

test('a claim on the edge is true or untold to checks that differ by less than a tolerance, and never true to one and false to another', () => {
  const verdict = (logprob: number, claimed: number) =>
    verifySampling(drawsOf([0], { logprobs: [logprob] }), Float32Array.of(claimed), tolerance).follows
  for (let claimed = -1; claimed < -0.995; claimed += 1e-4) {
    const found = [-1, -1 + 9e-4].map(logprob => verdict(logprob, claimed))
    expect([claimed, found.includes(true) && found.includes(false)]).toEqual([claimed, false])
  }
  // A later false token decides, even after undecided ones.
  const claimed = Float32Array.of(-1.0015, -1.1)
  expect(verifySampling(drawsOf([0, 0]), claimed, tolerance)).toMatchObject({ follows: false, at: 1, what: 'logprob' })
})

test('greedy completions are refused: nothing is drawn', async () => {
  const greedy = { tokens: Int32Array.of(1, 2), from: 1, place: { prompt: 0, sample: 0 } }
  await expect(reader.read([greedy], { temperature: 0, seed: 'greedy' })).rejects.toThrow(ModelInputError)
})
