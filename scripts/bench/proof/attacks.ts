import { randomStream } from '../../../node/model/src/base/random.ts'
import { positionLogits, type SequenceDraws } from '../../../node/model/src/model/index.ts'
import { type Checker, checkLeaves, type Leaf, readLeaves, sameTokens, sampleLeaves } from './leaves.ts'
import type { TestedPolicy } from './policies.ts'

/** Leaves that were not sampled as the rule says, and how many of them a check found. */
export interface Caught {
  readonly tried: number
  readonly caught: number
}

export interface Attacked extends Checker {
  /** Sampled as the rule says. */
  readonly honest: readonly Leaf[]
}

async function caught(attacked: Attacked, leaves: readonly Leaf[]): Promise<Caught> {
  const verdicts = await checkLeaves(attacked, leaves)
  return { tried: leaves.length, caught: verdicts.filter(({ follows }) => !follows).length }
}

const unlike = (honest: readonly Leaf[], others: readonly Leaf[]) =>
  others.filter((leaf, i) => !sameTokens(leaf.tokens, (honest[i] as Leaf).tokens))

/** A second sample by the same policy, with another random stream, is committed where it is liked better. */
export async function bestOfTwo(attacked: Attacked): Promise<Caught> {
  const { policy, sampling, honest } = attacked
  const generator = await policy.generator(1)
  const second = await sampleLeaves(generator, sampling, honest.length / 8, [8, 9, 10, 11, 12, 13, 14, 15])
  await generator.dispose()
  return caught(attacked, unlike(honest, second))
}

/** Another policy draws with the right random numbers, and tells its own log-probabilities. */
export async function otherPolicy(attacked: Attacked, other: TestedPolicy): Promise<Caught> {
  const { sampling, honest } = attacked
  const generator = await other.generator(1)
  const leaves = await sampleLeaves(generator, sampling, honest.length / 8)
  await generator.dispose()
  return caught(attacked, unlike(honest, leaves))
}

/** Log-probabilities: one forged by 0.25, or all set to -12. */
export function forgedLogprobs(attacked: Attacked): Promise<Caught> {
  const stream = randomStream('forged', 'proof')
  const leaves = attacked.honest.map((leaf, i) => {
    const at = stream.integer(leaf.logprobs.length)
    const by = stream.integer(2) ? 0.25 : -0.25
    return { ...leaf, logprobs: leaf.logprobs.map((x, j) => (i % 2 ? -12 : j === at ? x + by : x)) }
  })
  return caught(attacked, leaves)
}

/**
 * One token at a random position is replaced by one of probability 0.01 and more. Its true log-probability is claimed, and what comes
 * after it is taken as drawn with the right numbers, so that it alone can give the leaf away.
 */
export async function oneToken(attacked: Attacked): Promise<Caught> {
  const { policy, reader, sampling, honest } = attacked
  const stream = randomStream('one token', 'proof')
  const { temperature } = sampling
  const edited: Leaf[] = []
  for (const leaf of honest) {
    const at = stream.integer(leaf.tokens.length)
    const before = Int32Array.of(...leaf.prompt, ...leaf.tokens.subarray(0, at))
    const rivals = (await distributionAfter(policy, before, temperature)).flatMap((p, token) =>
      p >= 0.01 && token !== leaf.tokens[at] ? [token] : [],
    )
    if (rivals.length === 0) continue
    const tokens = leaf.tokens.slice(0, at + 1)
    tokens[at] = rivals[stream.integer(rivals.length)] as number
    edited.push({ ...leaf, tokens })
  }
  const draws = await readLeaves(reader, edited, temperature)
  return caught(
    attacked,
    edited.map((leaf, i) => ({ ...leaf, logprobs: (draws[i] as SequenceDraws).logprob })),
  )
}

/** Probabilities of the next token, in float32. */
async function distributionAfter({ config, merged }: TestedPolicy, tokens: Int32Array, temperature: number) {
  for await (const row of distributions({ config, merged }, tokens, tokens.length - 1, temperature)) return [...row]
  return []
}

async function* distributions(
  { config, merged }: Pick<TestedPolicy, 'config' | 'merged'>,
  tokens: Int32Array,
  from: number,
  temperature: number,
): AsyncGenerator<Float32Array> {
  let at = 0
  for await (const logits of positionLogits({ config, weights: merged }, tokens)) {
    if (at++ < from) continue
    const most = logits.reduce((a, b) => Math.max(a, b))
    const odds = Float64Array.from(logits, x => Math.exp((x - most) / temperature))
    const total = odds.reduce((a, b) => a + b, 0)
    yield Float32Array.from(odds, x => x / total)
  }
}

/** Choice that the tolerance leaves to an attacker, bits. */
export interface Slack {
  /** log2 of the number of leaves, the honest one among them, that differ from it in one token that would pass. */
  readonly oneToken: number
  /** The same for leaves that differ in any tokens, as if the tokens after a changed one stayed as they are. */
  readonly anyTokens: number
}

export function slackOf({ rivals }: SequenceDraws): Slack {
  const sum = (values: Float32Array) => values.reduce((a, b) => a + b, 0)
  return { oneToken: Math.log2(1 + sum(rivals)), anyTokens: sum(rivals.map(count => Math.log2(1 + count))) }
}
