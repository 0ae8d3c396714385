import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { randomStream } from '#base/random.ts'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { createLayeredPass } from '../layered/layeredPass.ts'
import { twoRows } from './batchPasses.ts'
import { createMonolithicPass, type GradientPass, type GradientSums } from './gradientPass.ts'
import { type LossTarget, type PolicySequence, policyTargets } from './policyBatch.ts'
import { promptParts } from './promptParts.ts'
import { policyLossKind } from './trainingGraphs.ts'

const options = { threads: 1, temperature: 1, adapter: undefined, trained: () => true }
const monolithic = createMonolithicPass(tinyConfig, tinyWeights(), options)
const layered = await createLayeredPass(tinyConfig, tinyWeights(), { ...options, kept: 'products', headRows: 1024 })
afterAll(() => Promise.all([monolithic.dispose(), layered.dispose()]))

const policy = { clipLow: 0.2, clipHigh: 0.28, klBeta: 0.04, maskTruncatedCompletions: true } as const
const loss = policyLossKind(policy)

/**
 * Groups of completions; each says how many tokens of its prompt all begin with, how long it and each completion is, which of its tokens
 * count, and whether it was cut.
 */
const groups = fc.array(
  fc.record({
    beginning: fc.constantFrom(0, 20, 24),
    prompt: fc.integer({ min: 1, max: 24 }),
    completions: fc.array(
      fc.record({
        scored: fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }).filter(mask => mask.includes(true)),
        truncated: fc.boolean(),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  }),
  { minLength: 1, maxLength: 3 },
)

function targetsOf(drawn: typeof groups extends fc.Arbitrary<infer T> ? T : never): LossTarget[] {
  const random = randomStream('properties', JSON.stringify(drawn))
  const tokens = (length: number) => Int32Array.from({ length }, () => random.integer(tinyConfig.vocabSize))
  const alike = tokens(24)
  const batch = drawn.flatMap(({ beginning, prompt: own, completions }) => {
    const prompt = Int32Array.of(...alike.subarray(0, beginning), ...tokens(own))
    const { length } = prompt
    return completions.map(({ scored: mask, truncated }): PolicySequence => {
      const scored = Int32Array.from(mask.flatMap((isScored, i) => (isScored ? [length + i] : [])))
      const logprobs = () => Float32Array.from(scored, () => -3 + random.normal())
      const own = { advantage: random.normal(), oldLogprobs: logprobs(), referenceLogprobs: logprobs(), truncated }
      return { tokens: Int32Array.of(...prompt, ...tokens(mask.length)), scored, ...own }
    })
  })
  return policyTargets(batch, policy)
}

async function sumsOf(pass: GradientPass, parts: readonly (readonly LossTarget[])[]) {
  const sums: GradientSums = new Map()
  let total = 0
  for (const part of parts) total += await pass.run(loss, twoRows(part), sums)
  // The next run uses placed inputs again.
  return { total, sums: new Map([...sums].map(([name, data]) => [name, data.slice()])) }
}

test('however groups are cut into parts, padded and masked, the gradient is the sum of those of sequences on their own', async () => {
  await fc.assert(
    fc.asyncProperty(groups, fc.integer({ min: 1, max: 5 }), async (drawn, sequences) => {
      const targets = targetsOf(drawn)
      if (targets.length === 0) return // all of them were cut
      const parts = promptParts(targets, { sequences, rows: 768 }).map(part => part.map(i => targets[i] as LossTarget))
      const together = await sumsOf(layered, parts)
      const apart = await sumsOf(
        monolithic,
        targets.map(target => [target]),
      )
      expect(together.total).toBeCloseTo(apart.total, 4)
      const [norm, difference] = distances(apart.sums, together.sums)
      expect(difference).toBeLessThan(1e-4 * norm + 1e-6)
    }),
    { numRuns: 25 },
  )
})

test('layered equals monolithic bit for bit, whatever the lengths and masks of a part', async () => {
  await fc.assert(
    fc.asyncProperty(groups, async drawn => {
      // One of each group: nothing is shared.
      const targets = targetsOf(
        drawn.map(group => ({ ...group, beginning: 0, completions: group.completions.slice(0, 1) })),
      )
      if (targets.length === 0) return
      const [a, b] = [await sumsOf(layered, [targets]), await sumsOf(monolithic, [targets])]
      expect(a.total).toBe(b.total)
      for (const [name, data] of b.sums) expect(Buffer.compare(bytesOf(a.sums.get(name)), bytesOf(data)), name).toBe(0)
    }),
    { numRuns: 15 },
  )
})

const bytesOf = (data: Float32Array | undefined) => Buffer.from(data?.buffer ?? new ArrayBuffer(0))

/** Norms of all gradients together, and of their difference. */
function distances(a: GradientSums, b: GradientSums): [number, number] {
  let [norm, difference] = [0, 0]
  for (const [name, data] of a) {
    const other = b.get(name) as Float32Array
    for (const [i, x] of data.entries()) {
      norm += x * x
      difference += (x - (other[i] as number)) ** 2
    }
  }
  return [Math.sqrt(norm), Math.sqrt(difference)]
}
