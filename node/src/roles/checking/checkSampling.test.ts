import { afterAll, describe, expect, test } from 'vitest'
import type { Hex } from '#core/hex.ts'
import { starterFolder } from '#environments/codezero/loadStarter.ts'
import { environmentFrom } from '#environments/codezero/presets.ts'
import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { copyWeights, hashWeights, readWeights } from '#model/decoder/weights.ts'
import { createGenerator } from '#model/generation/generate.ts'
import { initLora } from '#model/lora/loraFactors.ts'
import { encodePolicy, type PublishedPolicy } from '#rl/policy/publishedPolicy.ts'
import { createPublishedReader } from '#rl/policy/publishedReader.ts'
import type { CheckedRollout } from '../draws/checkRollouts.ts'
import { roundSeed } from '../draws/roundSeed.ts'
import { checkSampling, leavesToCheck } from './checkSampling.ts'

const base = `${starterFolder}/solver`
const config = await readDecoderConfig(base)
const weights = await readWeights(base, config)
const spec = environmentFrom('starter', { groupSize: 4, solving: { temperature: 1, maxNewTokens: 24, topP: 1 } })
const word = (byte: string): Hex => `0x${byte.repeat(32)}`
const work = { chainId: 31_337, round: 7, peerKey: word('22'), before: word('33'), beacon: word('44') }
const seed = roundSeed('rollout', work.chainId, work.round, work.before, work.peerKey)
const prompts = [Int32Array.of(5, 60, 71, 82), Int32Array.of(5, 90, 64, 12, 33)]
const request = { prompts, samplesPerPrompt: spec.groupSize, temperature: 1, maxNewTokens: 24, stopToken: 1 }

const generator = createGenerator(config, weights)
const sampled = async (from: string | Hex = seed, filters: { topP?: number } = {}): Promise<CheckedRollout[]> =>
  (await generator.generate({ ...request, ...filters, seed: from })).map(
    ({ prompt, tokens, logprobs, ended }, index) => ({
      ...{ index, promptTokens: prompts[prompt] as Int32Array, completionTokens: tokens, logprobs, ended, text: '' },
    }),
  )
afterAll(() => generator.dispose())

const reader = createPublishedReader({ threads: 1 })
const published = Buffer.concat(encodePolicy({ weights }))
const check = (leaves: readonly CheckedRollout[], policy: Uint8Array = published, rules = spec) =>
  checkSampling(reader, { policy, base }, work, rules, leaves)
const faultsOf = async (leaves: readonly CheckedRollout[], policy?: Uint8Array) => {
  const faults: string[] = []
  for (const leaf of leaves) {
    const result = await check([leaf], policy)
    faults.push(result.ok ? 'none' : result.fault)
  }
  return [...new Set(faults)]
}

describe('by the starter model, a leaf', async () => {
  const honest = await sampled()
  const [first] = honest as [CheckedRollout]

  test('that its policy sampled from its seed is proven', async () => {
    expect(await check(honest)).toEqual({ ok: true, value: { forgiven: 0, bits: expect.any(Number) } })
  })

  test('that was the better of two samples is not', async () => {
    const better = (await sampled(word('55'))).slice(0, 2)
    expect(await faultsOf(better)).toEqual(['not sampled'])
    const mixed = honest.map((leaf, at) => (at === 3 ? { ...(better[0] as CheckedRollout), index: 3 } : leaf))
    expect(await check(mixed)).toMatchObject({ fault: 'not sampled', reason: expect.stringContaining('of leaf 3 ') })
  })

  test('is proven under top-p where it was drawn so, and with a token outside of the nucleus it is not', async () => {
    const rules = { ...spec, solving: { ...spec.solving, topP: 0.99 } }
    const drawn = await sampled(seed, { topP: 0.99 })
    expect((await check(drawn, published, rules)).ok).toBe(true)
    const free = await sampled(seed)
    const faults = await Promise.all(free.map(leaf => check([leaf], published, rules)))
    const refuted = faults.filter(({ ok }) => !ok)
    expect(refuted.length).toBeGreaterThan(0)
    for (const fault of refuted) expect(fault).toMatchObject({ fault: 'not sampled' })
  })

  test('that was given to another place is not', async () => {
    expect(await faultsOf([{ ...first, index: 1 }])).toEqual(['not sampled'])
  })

  test('of another policy is not', async () => {
    const other = copyWeights(weights)
    for (const { data } of other.values()) for (let i = 0; i < data.length; i++) data[i] = (data[i] as number) * 1.05
    expect(await faultsOf([first], Buffer.concat(encodePolicy({ weights: other })))).toEqual(['not sampled'])
  })

  test('with an edited token, forged log-probabilities or a wrong end is not', async () => {
    const completionTokens = first.completionTokens.map((token, at) => (at === 3 ? token + 1 : token))
    const logprobs = first.logprobs.map(x => x + 0.01)
    const short = { completionTokens: first.completionTokens.subarray(0, 2), logprobs: first.logprobs.subarray(0, 2) }
    const forged = [{ completionTokens }, { logprobs }, { ...short, ended: false }]
    expect(await faultsOf(forged.map(part => ({ ...first, ...part })))).toEqual(['not sampled'])
  })

  test('whose log-probabilities are put on the edge of the tolerance is neither proven nor refuted', async () => {
    const moved = { ...first, logprobs: first.logprobs.map(x => x + 0.0015) }
    expect(await faultsOf([moved])).toEqual(['unsure'])
    const forged = { ...(honest[1] as CheckedRollout), logprobs: new Float32Array(24) }
    expect(await check([moved, forged])).toMatchObject({ fault: 'not sampled' })
  })

  test('under bytes that are not a policy is malformed', async () => {
    expect(await faultsOf([first], published.subarray(0, -4))).toEqual(['malformed'])
  })

  test('of an adapter is proven over its base, over one that is not here nothing is, and one that is not paid is named', async () => {
    const lora = { rank: 2, alpha: 4, targets: ['q_proj'], rankStabilized: false }
    const adapter = initLora(config, lora, 'adapter')
    const adapted = { adapter, base: hashWeights(weights), precision: 'float32' } as const
    const bytes = (policy: PublishedPolicy) => Buffer.concat(encodePolicy(policy))
    // Its second factor is zero: it draws as the base does.
    expect(await faultsOf([first], bytes(adapted))).toEqual(['none'])
    const elsewhere = bytes({ ...adapted, base: word('66') })
    expect(await faultsOf([first], elsewhere)).toEqual(['no base'])
    const paying = (bases: Hex[]) => ({ ...spec, bases })
    const [ours, others] = [[adapted.base as Hex], [word('66')]].map(paying) as [typeof spec, typeof spec]
    expect((await check([first], bytes(adapted), ours)).ok).toBe(true)
    expect(await check([first], elsewhere, ours)).toMatchObject({ fault: 'unpaid base' })
    expect(await check([first], bytes(adapted), others)).toMatchObject({ fault: 'unpaid base' })
    // Another evaluator of the environment has that base.
    expect(await check([first], elsewhere, others)).toMatchObject({ fault: 'no base' })
  })

  test('of an adapter over a listed base of another architecture is not refuted where that base is not here', async () => {
    const lora = { rank: 2, alpha: 4, targets: ['q_proj'], rankStabilized: false }
    const adapter = initLora({ ...config, layers: config.layers + 1 }, lora, 'adapter')
    const bytes = Buffer.concat(encodePolicy({ adapter, base: word('66'), precision: 'float32' }))
    expect(await check([first], bytes, { ...spec, bases: [word('66')] })).toMatchObject({ fault: 'no base' })
    expect(await check([first], bytes, { ...spec, bases: [word('67')] })).toMatchObject({ fault: 'unpaid base' })
  })

  test('of an adapter over 8 bits is refused: where kernels differ, an honest one reads as another policy does', async () => {
    const lora = { rank: 2, alpha: 4, targets: ['q_proj'], rankStabilized: false }
    const adapter = initLora(config, lora, 'adapter')
    const bytes = Buffer.concat(encodePolicy({ adapter, base: hashWeights(weights), precision: 'int8' }))
    expect(await check([first], bytes)).toMatchObject({ fault: 'malformed', reason: expect.stringContaining('8 bits') })
  })

  test('is drawn of those that are scored and there', () => {
    const groups = [{ task: {} as never, rollouts: honest.slice(0, 3) }]
    const indices = (leaves: readonly CheckedRollout[]) => leaves.map(({ index }) => index)
    expect(indices(leavesToCheck(work, groups, [6, 7, 1]))).toEqual([1])
    expect(leavesToCheck(work, groups, [6, 7])).toEqual([])
    const drawn = ['01', '02', '03', '04', '05', '06', '07', '08'].map(byte =>
      indices(leavesToCheck({ ...work, beacon: word(byte) }, groups, [0, 1, 2])).join(),
    )
    expect(new Set(drawn).size).toBeGreaterThan(1)
  })
})
