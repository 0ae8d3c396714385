import { join } from 'node:path'
import { commonShape } from '../../node/model/src/model/decoder/commonShape.ts'
import { copyWeights } from '../../node/model/src/model/decoder/weights.ts'
import {
  allLinear,
  bakedParts,
  createAdaptedGenerator,
  createDrawReader,
  createGenerator,
  frozenParts,
  initLora,
  openFrozenTensors,
  openTokenizer,
} from '../../node/model/src/model/index.ts'
import type { Bench } from '../measure/bench.ts'
import type { BenchRow, Measured } from '../measure/row.ts'
import {
  type Attacked,
  bestOfTwo,
  type Caught,
  forgedLogprobs,
  oneToken,
  otherPolicy,
  type Slack,
  slackOf,
} from './proof/attacks.ts'
import { checkLeaves, type Leaf, readLeaves, SAMPLES, SEED, sampleLeaves } from './proof/leaves.ts'
import { MOVED, publishedPolicy, starterPolicies, starterPrompts, type TestedPolicy } from './proof/policies.ts'
import { randomModel } from './randomModel.ts'

/** Prompts of each policy and number of threads: 3 x 2 x 210 x 8 leaves. */
const PROMPTS = 210
const ATTACKED_PROMPTS = 125
const SLACK_LEAVES = 200
/** Top-p of the environments for published models. */
const TOP_P = 0.999
/** Prompts for a published model, two leaves each. */
const ASKED = [
  'Write a Python function that reverses a string.',
  'What is 12 + 7?',
  'Tell a short story about a bee.',
  'Explain why the sky is blue.',
]
/** Sizes of the adapter's update from a step of learning later on: of the nearest, few leaves have other tokens. */
const MOVED_ON = [0.012, 0.015, 0.02, 0.03]

export const rows: readonly BenchRow[] = [
  { name: 'false-alarms', unit: 'leaves', bar: 0, better: 'less', measure: falseAlarms },
  caughtRow('caught-best-of-2', bestOfTwo),
  caughtRow('caught-other-policy', otherPolicies),
  caughtRow('caught-one-token', oneToken),
  caughtRow('caught-forged-logprobs', forgedLogprobs),
  { name: 'slack-bits', unit: 'bits a leaf', bar: 2, better: 'less', measure: slack },
  { name: 'slack-bits-49152', unit: 'bits a leaf', bar: 4, better: 'less', measure: publishedSlack },
  { name: 'prefill-ratio', unit: 'of the time to sample it', bar: 0.5, better: 'less', measure: prefillRatio },
]

/** Leaves that were sampled with one number of threads, in calls of many sizes, and are checked all at once with the other. */
async function falseAlarms(): Promise<Measured> {
  const sampling = await starterPrompts()
  let [leaves, alarms, replays] = [0, 0, 0]
  for (const policy of await starterPolicies(MOVED)) {
    for (const threads of [1, 2]) {
      const generator = await policy.generator(threads)
      const honest = await sampleLeaves(generator, sampling, PROMPTS)
      await generator.dispose()
      const [reader, replay] = [await policy.reader(3 - threads), await policy.generator(3 - threads)]
      const checked = await checkLeaves({ policy, reader, replay, sampling }, honest)
      leaves += honest.length
      alarms += checked.filter(({ follows }) => !follows).length
      replays += checked.filter(({ replayed }) => replayed).length
      await Promise.all([reader.dispose(), replay.dispose()])
    }
  }
  const conditions = `of ${leaves} honest leaves of the starter, whole and with adapters over float32 and 8 bits, 1 and 2 threads, calls of 8 to 200 rows; ${replays} replayed`
  return { value: alarms, conditions }
}

/** The share that a check finds, for the policy of which it finds the least. */
function caughtRow(name: string, attack: (attacked: Attacked) => Promise<Caught>): BenchRow {
  const measure = async (bench: Bench): Promise<Measured> => {
    const found: { name: string; share: number; of: number }[] = []
    for (const attacked of await attackedPolicies(bench)) {
      const { tried, caught } = await attack(attacked)
      found.push({ name: attacked.policy.name, share: caught / tried, of: tried })
    }
    const conditions = found.map(({ name, share, of }) => `${name}: ${share.toFixed(4)} of ${of}`).join('; ')
    return { value: Math.min(...found.map(({ share }) => share)), conditions }
  }
  return { name, unit: 'of leaves', bar: 0.99, better: 'more', measure }
}

/** Each of the policies that the attacked one may have become. */
async function otherPolicies(attacked: Attacked): Promise<Caught> {
  const all = { tried: 0, caught: 0 }
  for (const size of MOVED_ON) {
    const others = await starterPolicies(size)
    const other = others.find(({ name }) => name === attacked.policy.name) as (typeof others)[0]
    const { tried, caught } = await otherPolicy(attacked, other)
    all.tried += tried
    all.caught += caught
  }
  return all
}

function attackedPolicies(bench: Bench): Promise<Attacked[]> {
  return bench.once('attacked policies', async () => {
    const sampling = await starterPrompts()
    const policies = await starterPolicies(MOVED)
    return Promise.all(
      policies.map(async policy => {
        const [generator, reader, replay] = [
          await policy.generator(2),
          await policy.reader(2),
          await policy.generator(1),
        ]
        const honest = await sampleLeaves(generator, sampling, ATTACKED_PROMPTS)
        await generator.dispose()
        return { policy, reader, replay, sampling, honest }
      }),
    )
  })
}

async function slack(bench: Bench): Promise<Measured> {
  const found: { name: string; isPaid: boolean; mean: number; most: number }[] = []
  for (const { policy, reader, sampling, honest } of await attackedPolicies(bench)) {
    const draws = await readLeaves(reader, honest.slice(0, SLACK_LEAVES), sampling.temperature)
    const bits = draws.map(one => slackOf(one).oneToken)
    const isPaid = policy.precision === 'float32'
    found.push({ name: policy.name, isPaid, mean: meanOf(bits), most: Math.max(...bits) })
  }
  const made = await madeSlack()
  const conditions = found.map(
    ({ name, mean, most }) => `${name}: ${mean.toFixed(3)}, ${most.toFixed(1)} in the worst of ${SLACK_LEAVES}`,
  )
  return {
    value: Math.max(made, ...found.filter(({ isPaid }) => isPaid).map(({ mean }) => mean)),
    conditions: `mean over leaves, one token a leaf forgiven, of policies that are paid; all 640 tokens alike: ${made.toFixed(3)}; ${conditions.join('; ')}`,
  }
}

/** Slack of leaves of 64 tokens of a policy for which all tokens are equally likely. */
async function madeSlack(): Promise<number> {
  const [whole] = await starterPolicies(MOVED)
  const { config, merged } = whole as TestedPolicy
  const weights = copyWeights(merged)
  weights.get('model.norm.weight')?.data.fill(0)
  const sampling = { ...(await starterPrompts()), maxNewTokens: 64, stopToken: -1, moreStopTokens: [] }
  const [generator, reader] = [
    createGenerator(config, weights),
    await createDrawReader(config, bakedParts(config, weights)),
  ]
  const draws = await readLeaves(reader, await sampleLeaves(generator, sampling, 25), sampling.temperature)
  await Promise.all([generator.dispose(), reader.dispose()])
  return meanOf(draws.map(one => slackOf(one).oneToken))
}

const meanOf = (values: readonly number[]) => values.reduce((sum, x) => sum + x, 0) / values.length

/** Bits that are left to a solver of a published model, under the preset's top-p and without. */
async function publishedSlack(bench: Bench): Promise<Measured> {
  const policy = await publishedPolicy(join(bench.folder, 'smollm2'))
  const tokenizer = await openTokenizer(policy.folder)
  const prompts = await Promise.all(ASKED.map(content => tokenizer.chatPrompt([{ role: 'user', content }])))
  const found: { topP: number; oneToken: number; anyTokens: number; forgiven: number; tokens: number }[] = []
  for (const topP of [TOP_P, 1]) {
    const sampling = { prompts, temperature: 1, topP, maxNewTokens: 90, stopToken: 2, moreStopTokens: [] }
    const generator = await policy.generator(bench.threads)
    const leaves = (await sampleLeaves(generator, sampling, ASKED.length)).filter(({ place }) => place.sample < 2)
    await generator.dispose()
    const reader = await policy.reader(bench.threads, topP)
    const draws = await readLeaves(reader, leaves, sampling.temperature)
    await reader.dispose()
    const slacks = draws.map(slackOf)
    const behind = draws.flatMap(one => [...one.behind])
    const figures = { forgiven: behind.filter(nats => nats > 0).length, tokens: behind.length }
    const mean = (figure: keyof Slack) => meanOf(slacks.map(slack => slack[figure]))
    found.push({ topP, oneToken: mean('oneToken'), anyTokens: mean('anyTokens'), ...figures })
  }
  await tokenizer.close()
  const conditions = found.map(
    ({ topP, oneToken, anyTokens, forgiven, tokens }) =>
      `top-p ${topP}: ${oneToken.toFixed(2)}, and ${anyTokens.toFixed(2)} of any tokens, ${forgiven} of ${tokens} forgiven`,
  )
  return {
    value: found[0]?.oneToken ?? Number.NaN,
    conditions: `SmolLM2-135M-Instruct, ${2 * ASKED.length} leaves of at most 90 tokens, float32, one token a leaf forgiven; ${conditions.join('; ')}`,
  }
}

/** One completion of 256 tokens after 128, checked; against an eighth of the time in which its group of 8 is sampled. */
async function prefillRatio(bench: Bench): Promise<Measured> {
  const { folder } = await randomModel(bench)
  const { threads } = bench
  const freeze = frozenParts(commonShape, await openFrozenTensors(folder, commonShape, { precision: 'int8', threads }))
  const adapter = initLora(commonShape, { rank: 16, alpha: 32, targets: allLinear, rankStabilized: false }, 'proof')
  const prompt = Int32Array.from({ length: 128 }, (_, i) => (i * 7919) % commonShape.vocabSize)
  const generator = await createAdaptedGenerator(commonShape, freeze, adapter, { threads })
  const sampling = { temperature: 1, maxNewTokens: 256, stopToken: -1, moreStopTokens: [], prompts: [prompt] }
  const started = performance.now()
  const [leaf] = await sampleLeaves(generator, sampling, 1)
  const sampleSec = (performance.now() - started) / 1000 / SAMPLES
  await generator.dispose()
  const reader = await createDrawReader(commonShape, freeze, { adapter, threads })
  const { prompt: asked, place, tokens } = leaf as Leaf
  const sequence = { tokens: Int32Array.of(...asked, ...tokens), from: asked.length, place }
  const secs: number[] = []
  for (let turn = 0; turn < 4; turn++) {
    const begun = performance.now()
    await reader.read([sequence], { temperature: 1, seed: SEED })
    secs.push((performance.now() - begun) / 1000)
  }
  await reader.dispose()
  const checkSec = secs.slice(1).sort((a, b) => a - b)[1] as number // the first one makes memory
  const conditions = `Qwen2.5-0.5B's shape, random, int8 with an adapter of rank 16: ${checkSec.toFixed(2)} s against ${sampleSec.toFixed(2)} s, ${threads} threads`
  return { value: checkSec / sampleSec, conditions }
}
