import { expect, test } from 'vitest'
import { decoderWeightShapes } from '../decoder/decoderWeights.ts'
import { referenceLogprobs } from '../decoder/referenceDecoder.ts'
import { tinyConfig, tinyWeights } from '../decoder/tinyDecoder.ts'
import { copyWeights } from '../decoder/weights.ts'
import { ModelFileError, ModelInputError } from '../modelErrors.ts'
import { createScorer } from '../scoring/score.ts'
import type { Completion, GenerateOptions } from './completion.ts'
import { createGenerator } from './generate.ts'
import { cacheBytes, rowsWithin } from './kvCache.ts'
import { type Race, tokenRaces } from './tokenRaces.ts'

const weights = tinyWeights()
const generator = createGenerator(tinyConfig, weights)
const prompt = (length: number, first = 0) => Int32Array.from({ length }, (_, i) => (first + 5 * i) % 24)
const ragged = [prompt(1), prompt(2, 3), prompt(13), prompt(7, 1), prompt(13, 2), prompt(30)]

function ask(options: Partial<GenerateOptions>, from = generator): Promise<Completion[]> {
  const defaults = {
    prompts: ragged,
    samplesPerPrompt: 3,
    maxNewTokens: 12,
    temperature: 1,
    stopToken: 0,
    seed: 'seed',
  }
  return from.generate({ ...defaults, ...options })
}

/** The token whose time over its probability is least. */
function drawn(logprobs: number[], race: Race): number {
  const at = logprobs.map((logprob, token) => race.time(token) / Math.exp(logprob))
  return at.indexOf(Math.min(...at))
}

test.each([1, 0.7, 1.5])(
  'tokens and log-probabilities at temperature %d are those of the definition',
  async temperature => {
    const completions = await ask({ temperature })
    expect(completions.map(c => c.prompt)).toEqual(ragged.flatMap((_, i) => [i, i, i]))
    const races = tokenRaces('seed')
    for (const [i, { tokens, logprobs, prompt, ended }] of completions.entries()) {
      const text = [...(ragged[prompt] as Int32Array)]
      for (const [step, token] of tokens.entries()) {
        const expected = referenceLogprobs(tinyConfig, weights, text, temperature)
        expect(token).toBe(drawn(expected, races({ prompt, sample: i % 3, step })))
        expect(Math.abs((logprobs[step] as number) - (expected[token] as number))).toBeLessThan(5e-5) // float32
        text.push(token)
      }
      expect(ended).toBe(tokens.at(-1) === 0)
      expect(ended || tokens.length === 12).toBe(true)
    }
  },
)

test('temperature 0 takes the most likely token and tells its probability at temperature 1', async () => {
  for (const { tokens, logprobs, prompt } of await ask({ temperature: 0, samplesPerPrompt: 1 })) {
    const text = [...(ragged[prompt] as Int32Array)]
    for (const [step, token] of tokens.entries()) {
      const expected = referenceLogprobs(tinyConfig, weights, text)
      expect(expected[token]).toBe(Math.max(...expected))
      expect(logprobs[step]).toBeCloseTo(expected[token] as number, 5)
      text.push(token)
    }
  }
})

test('a completion does not depend on what else is in the call, bit for bit', async () => {
  const together = await ask({ prompts: [...ragged, ...ragged.map(p => p.slice().reverse())], samplesPerPrompt: 9 })
  for (const i of [0, 2, 5]) {
    const alone = await ask({ prompts: [ragged[i] as Int32Array], promptNumbers: [i], samplesPerPrompt: 1 })
    expect({ ...alone[0], prompt: i }).toEqual(together[i * 9])
  }
  const order = [4, 0, 3]
  const shuffled = await ask({ prompts: order.map(i => ragged[i] as Int32Array), promptNumbers: order })
  for (const [i, completion] of shuffled.entries()) {
    const number = order[Math.floor(i / 3)] as number
    expect({ ...completion, prompt: number }).toEqual(together[number * 9 + (i % 3)])
  }
})

test('a completion does not depend on the number of threads, and a rerun repeats it', async () => {
  const other = createGenerator(tinyConfig, weights, { threads: 2 })
  const first = await ask({})
  expect(await ask({}, other)).toEqual(first)
  expect(await ask({})).toEqual(first)
  expect(await ask({ seed: Buffer.from('seed') })).toEqual(first)
  expect(await ask({ seed: 'another' })).not.toEqual(first)
  await other.dispose()
})

test('equal prompts have samples of their own', async () => {
  const [first, second] = await ask({ prompts: [prompt(5), prompt(5)], samplesPerPrompt: 1, temperature: 2 })
  expect(first?.tokens).not.toEqual(second?.tokens)
})

test('samples come as often as the model says', async () => {
  const samples = await ask({ prompts: [prompt(4)], samplesPerPrompt: 4000, maxNewTokens: 1 })
  const expected = referenceLogprobs(tinyConfig, weights, prompt(4)).map(Math.exp)
  const counts = new Array(24).fill(0)
  for (const { tokens } of samples) counts[tokens[0] as number]++
  const chiSquared = expected.reduce((sum, p, i) => sum + (counts[i] - 4000 * p) ** 2 / (4000 * p), 0)
  expect(chiSquared).toBeLessThan(50) // 23 degrees of freedom: above 49.7 once in a thousand seeds
})

test('generation ends at the last position of the model', async () => {
  const [completion] = await ask({ prompts: [prompt(60)], samplesPerPrompt: 1, maxNewTokens: 99, stopToken: -1 })
  expect(completion?.tokens.length).toBe(4)
  expect(completion?.ended).toBe(false)
})

test('weights changed in place count from the next call on', async () => {
  const live = copyWeights(weights)
  const own = createGenerator(tinyConfig, live)
  const before = await ask({}, own)
  const norm = live.get('model.norm.weight')?.data as Float32Array
  norm.fill(0)
  const [flat] = await ask({}, own)
  expect(flat?.logprobs[0]).toBeCloseTo(-Math.log(24), 5)
  norm.set(weights.get('model.norm.weight')?.data as Float32Array)
  expect(await ask({}, own)).toEqual(before)
  await own.dispose()
})

test('an untied output layer is used', async () => {
  const config = { ...tinyConfig, tieWordEmbeddings: false }
  const untied = tinyWeights(config)
  const own = createGenerator(config, untied)
  const [completion] = await ask({ samplesPerPrompt: 1, temperature: 0 }, own)
  const expected = referenceLogprobs(config, untied, ragged[0] as Int32Array)
  expect(completion?.logprobs[0]).toBeCloseTo(Math.max(...expected), 5)
  await own.dispose()
})

test('an abort stops between two steps', async () => {
  const controller = new AbortController()
  const running = ask({ signal: controller.signal, maxNewTokens: 30, stopToken: -1 })
  setImmediate(() => controller.abort(new Error('enough')))
  await expect(running).rejects.toThrow('enough')
  expect((await ask({ maxNewTokens: 1 })).length).toBe(18)
})

test('calls that cannot be served are refused', async () => {
  await expect(ask({ prompts: [new Int32Array(0)] })).rejects.toThrow(ModelInputError)
  await expect(ask({ prompts: [Int32Array.of(24)] })).rejects.toThrow(ModelInputError)
  await expect(ask({ prompts: [prompt(64)] })).rejects.toThrow(ModelInputError)
  for (const temperature of [-1, 1e-40, Number.NaN]) await expect(ask({ temperature })).rejects.toThrow(ModelInputError)
  await expect(ask({ samplesPerPrompt: 0 })).rejects.toThrow(ModelInputError)
  await expect(ask({ maxNewTokens: 0.5 })).rejects.toThrow(ModelInputError)
  expect(await ask({ prompts: [] })).toEqual([])
  const lacking = copyWeights(weights)
  lacking.delete('model.norm.weight')
  expect(() => createGenerator(tinyConfig, lacking)).toThrow(ModelFileError)
})

test('rows wait where the memory holds the caches of some, and what it holds no row of is refused', async () => {
  const row = cacheBytes(tinyConfig, 64)
  expect(row).toBe(2 * 2 * 2 * 8 * 64 * 4)
  expect(rowsWithin(tinyConfig, 64, 10 * row)).toBe(7)
  expect(() => rowsWithin(tinyConfig, 64, 2 * row)).toThrow(ModelInputError)
  const long = createGenerator({ ...tinyConfig, maxPositions: 2 ** 40 }, weights)
  const refused = /^keys and values of 8589934622 tokens take 4398\.0 GB where .* are available$/
  await expect(ask({ maxNewTokens: 2 ** 33 }, long)).rejects.toThrow(refused)
  expect(await ask({ samplesPerPrompt: 1 }, long)).toEqual(await ask({ samplesPerPrompt: 1 }))
  await long.dispose()
})

test('weights that no program holds are refused before one of them is copied', () => {
  const config = { ...tinyConfig, vocabSize: 2 ** 25 }
  const elements = (shape: readonly number[]) => shape.reduce((product, length) => product * length, 1)
  const shapes = [...decoderWeightShapes(config)]
  const large = new Map(shapes.map(([name, shape]) => [name, { shape, data: new Float32Array(elements(shape)) }]))
  for (const create of [createGenerator, createScorer])
    expect(() => create(config, large)).toThrow(
      expect.objectContaining({
        code: 'MODEL_INPUT',
        message: expect.stringContaining('2.0 GiB'),
        hint: expect.stringContaining('loadGenerator'),
      }),
    )
})
