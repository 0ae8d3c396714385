import { NodeError } from '#core/errors.ts'
import { type DecoderConfig, readDecoderConfig } from '#model/decoderConfig.ts'
import { createGenerator, type Generator } from '#model/generate.ts'
import { createScorer, type Scorer } from '#model/score.ts'
import { hashWeights, readWeights, type Weights } from '#model/weights.ts'
import { readOptimizerState, saveCheckpoint } from './checkpoint.ts'
import { groupStep } from './groupStep.ts'
import type { PolicyHandlers, PolicyMessage, PolicyReply, PolicyWorkerOptions, SentError } from './policyProtocol.ts'
import { createTrainer, type Trainer } from './trainer.ts'
import { TrainerError } from './trainerError.ts'

// The process that owns the weights, forked by `openPolicyClient`. Operations run one after another, in the order asked.

/** A policy, and the sessions over its weights. */
interface Policy {
  readonly config: DecoderConfig
  readonly weights: Weights
  readonly generator: Generator
  readonly scorer: Scorer
  readonly trainer: Trainer
}

const { threads = 1, device = 'cpu', adamW = {} } = JSON.parse(process.argv[2] ?? '{}') as PolicyWorkerOptions
const closing = new AbortController()
let policy: Policy | undefined
let judge: Scorer | undefined

const handlers: PolicyHandlers = {
  async load(folder) {
    const config = await readDecoderConfig(folder)
    const weights = await readWeights(folder, config)
    const weightsHash = hashWeights(weights)
    const state = await readOptimizerState(folder, weightsHash)
    const trainer = await createTrainer(config, weights, { threads, optimizer: { kind: 'adamW', ...adamW } })
    if (state) trainer.load(state)
    await disposePolicy()
    const generator = createGenerator(config, weights, { threads, device })
    policy = { config, weights, generator, scorer: createScorer(config, weights, { threads, device }), trainer }
    return { weightsHash, steps: state?.steps ?? 0 }
  },
  async loadJudge(folder) {
    const config = await readDecoderConfig(folder)
    const weights = await readWeights(folder, config)
    await judge?.dispose()
    judge = createScorer(config, weights, { threads, device })
    return { weightsHash: hashWeights(weights) }
  },
  generate: async request => loaded().generator.generate({ ...request, signal: closing.signal }),
  async score(sequences) {
    if (!judge) throw notLoaded('judge model')
    return judge.score(sequences, { signal: closing.signal })
  },
  async logprobs(sequences) {
    const scores = await loaded().scorer.score(sequences, { signal: closing.signal })
    return scores.map(score => score.logprobs)
  },
  policyStep: async (groups, options) => groupStep(loaded().trainer, groups, options),
  async save(folder) {
    const { config, weights, trainer } = loaded()
    const state = trainer.state()
    return { weightsHash: await saveCheckpoint(folder, config, weights, state), steps: state.steps }
  },
  weightsHash: async () => hashWeights(loaded().weights),
}

function loaded(): Policy {
  if (!policy) throw notLoaded('policy')
  return policy
}

const notLoaded = (what: string) =>
  new TrainerError(`the ${what} is not loaded`, { hint: 'This is a defect of the program; please report it.' })

async function disposePolicy(): Promise<void> {
  const old = policy
  policy = undefined
  await old?.generator.dispose()
  await old?.scorer.dispose()
  await old?.trainer.dispose()
}

let queue: Promise<void> = Promise.resolve()

// Ctrl-C reaches every process of a terminal: the client closes this one in good order.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})

// The client is gone, in whatever way: nobody asks for what is left.
process.on('disconnect', () => process.exit())

process.on('message', (message: PolicyMessage) => {
  if ('close' in message) closing.abort()
  queue = queue.then(() => ('close' in message ? close() : answer(message)))
})

async function answer({ id, operation, args }: Exclude<PolicyMessage, { close: true }>): Promise<void> {
  if (closing.signal.aborted) return
  let reply: PolicyReply
  try {
    const handler = handlers[operation] as (...args: readonly unknown[]) => Promise<unknown>
    reply = { id, result: await handler(...args) }
  } catch (error) {
    reply = { id, error: sentError(error) }
  }
  process.send?.(reply)
}

async function close(): Promise<void> {
  await disposePolicy()
  await judge?.dispose()
  process.exit()
}

function sentError(error: unknown): SentError {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  if (error instanceof NodeError) {
    return { name, message, stack, code: error.code, hint: error.hint, retryable: error.retryable }
  }
  const hint = 'This is a defect of the program; please report it with the log.'
  return { name, message, stack, code: 'POLICY_WORKER', hint, retryable: false }
}
