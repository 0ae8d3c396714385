import type { z } from 'zod'
import { describeTokenizer, openChatTokenizer } from '../chatTokenizer.ts'
import type { EnvironmentKind } from '../environmentKind.ts'
import { environmentHash } from '../environmentSpec.ts'
import { readBaseHash } from '../paidBase.ts'
import { reasoning } from './reasoning.ts'
import { type ReasoningSpec, reasoningSpecSchema } from './reasoningSpec.ts'

export const kind: EnvironmentKind<ReasoningSpec> = {
  schema: reasoningSpecSchema,
  needsJudge: false,
  judgeOf: () => null,
  async load(spec, { modelFolder }) {
    const tokenizer = await openChatTokenizer(modelFolder, spec.prompts)
    return reasoning({ spec, tokenizer, solverFolder: modelFolder })
  },
  async describe({ modelFolder }) {
    const spec = reasoningSpecSchema.parse({
      ...small,
      bases: [await readBaseHash(modelFolder)],
      prompts: { format: 'chat', ...(await describeTokenizer(modelFolder)), solver: solverMessage, examples },
    })
    return { spec, hash: environmentHash(spec), judge: null }
  },
}

/**
 * For instruction models below a billion parameters, trained with LoRA: short bare answers to the easiest arithmetic.
 *
 * Many questions, with four answers of each learned from: with eight questions, at most two had a gradient once SmolLM2-135M wrote bare numbers, and
 * steps of full size on those few collapsed its sampling. A bare number pays little, and rewards are not divided by a group's deviation, so that a
 * wrong number does not become a goal of its own.
 */
export const small: Omit<z.input<typeof reasoningSpecSchema>, 'prompts'> = {
  name: 'reasoning',
  version: 3,
  preset: 'small',
  weights: { format: 0.1, accuracy: 0.9 },
  tasksPerRound: 24,
  groupSize: 8,
  owedLeaves: 192,
  sampledLeaves: 32,
  solving: { temperature: 1, maxNewTokens: 16, topP: 0.999 },
  training: {
    learningRate: 2e-4,
    adapterLearningRate: 3e-4,
    betas: [0.9, 0.99],
    weightDecay: 0,
    warmUpRounds: 2,
    schedule: 'constant',
    totalRounds: null,
    maxGradientNorm: 1,
    clipLow: 0.2,
    clipHigh: 0.28,
    scaleRewards: 'none',
    minGroupDeviation: 0.05,
    answersPerGroup: 4,
  },
  // An update on eight honest groups of SmolLM2-135M's moved it by 0.05 to 0.11 at a rate of 5e-4.
  sharing: {
    mode: 'updateForEachPeer',
    groupsPerPeer: 24,
    peers: 8,
    maxKl: 0.2,
    learningRateScaling: 'squareRoot',
  },
  canary: { level: 1, tasks: 50, samplesPerTask: 2, everyRounds: 10 },
  families: ['sum', 'product', 'chain', 'gcd', 'linear', 'sequence'],
  levels: { lowest: 1, highest: 1 },
  reply: 'bare',
}

/** SmolLM2-135M replies with a bare number to nearly every question after these turns, and hardly ever without them. */
export const examples = [
  { question: 'What is 2 + 3?', kind: 'integer', reply: '5' },
  { question: 'What is 4 * 6?', kind: 'integer', reply: '24' },
  { question: 'Solve for x: x + 5 = 12', kind: 'integer', reply: '7' },
] as const

export const solverMessage = 'You solve small puzzles and say the answer exactly in the form that is asked for.'
