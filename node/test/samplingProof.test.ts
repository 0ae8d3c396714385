import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type SequenceDraws, samplingTolerances, tokenRaces, verifySampling } from '#model/index.ts'
import { type Leaf, readLeaves, SEED, sampleLeaves } from '../../scripts/bench/proof/leaves.ts'
import { MOVED, starterPolicies, starterPrompts, type TestedPolicy } from '../../scripts/bench/proof/policies.ts'

/** Made by scripts/golden/proofVectors.ts, by the kernels of another machine than this one perhaps. */
type Golden = { temperature: number; vectors: { policy: string; leaves: GoldenLeaf[] }[] }
type GoldenLeaf = Pick<Leaf, 'place'> & Record<'prompt' | 'tokens' | 'logprobs' | 'times', number[]>

const golden: Golden = JSON.parse(
  readFileSync(join(import.meta.dirname, '../model/src/model/golden/proof.json'), 'utf8'),
)
const sampling = { ...(await starterPrompts()), maxNewTokens: 48 }
const policies = await starterPolicies(MOVED)

/** Results of checking each leaf, by so many threads, all in one batch or one by one: determinism.test.ts tests that their inputs are bitwise identical. */
async function follow(policy: TestedPolicy, leaves: readonly Leaf[], threads: number, isAlone: boolean) {
  const reader = await policy.reader(threads)
  const batches = isAlone ? leaves.map(leaf => [leaf]) : [leaves]
  const found = []
  for (const batch of batches) {
    const draws = await readLeaves(reader, batch, sampling.temperature)
    found.push(
      ...batch.map((leaf, i) => {
        return verifySampling(draws[i] as SequenceDraws, leaf.logprobs, samplingTolerances[policy.precision]).follows
      }),
    )
  }
  await reader.dispose()
  return found
}

const races = tokenRaces(SEED)
const timesOf = ({ place, tokens }: Leaf) => [...tokens].map((token, step) => races({ ...place, step }).time(token))

const checks = [1, 2].map(threads => ({ threads, isAlone: threads === 1 }))

describe.each(policies)('a policy: $name', policy => {
  const { leaves = [] } = golden.vectors.find(({ policy: name }) => name === policy.name) ?? {}
  const kept = leaves.map(({ prompt, tokens, logprobs, place }) => ({
    ...{ place, prompt: Int32Array.from(prompt), tokens: Int32Array.from(tokens) },
    logprobs: Float32Array.from(logprobs),
  }))

  test('the tokens of its golden leaves have their times, and follow by one thread and by two', async () => {
    expect(kept.map(timesOf)).toEqual(leaves.map(({ times }) => times))
    for (const { threads, isAlone } of checks)
      expect(await follow(policy, kept, threads, isAlone)).toEqual(kept.map(() => true))
  })

  test('with one token changed, a golden leaf does not', async () => {
    const forged = kept.map(leaf => ({
      ...leaf,
      tokens: leaf.tokens.map((token, at) => (at === 5 ? token + 1 : token)),
    }))
    expect(await follow(policy, forged, 1, false)).toEqual(kept.map(() => false))
  })

  test('with certainty claimed of every token, a golden leaf does not', async () => {
    const certain = kept.map(leaf => ({ ...leaf, logprobs: leaf.logprobs.map(() => 0) }))
    expect(await follow(policy, certain, 1, false)).toEqual(kept.map(() => false))
  })

  test('sampling by one thread is verified by two and the other way round, in one batch and alone', async () => {
    for (const threads of [1, 2]) {
      const generator = await policy.generator(threads)
      // Calls of one prompt, and of three.
      const leaves = await sampleLeaves(generator, sampling, 4)
      await generator.dispose()
      expect(await follow(policy, leaves, 3 - threads, threads === 1)).toEqual(leaves.map(() => true))
    }
  })
})
