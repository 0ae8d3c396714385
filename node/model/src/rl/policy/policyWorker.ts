import { answerCall } from '#base/threads/workerCalls.ts'
import { sessionProgress } from '#engine/sessionProgress.ts'
import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { hashStoredWeights } from '#model/decoder/weights.ts'
import type { Generator } from '#model/generation/generate.ts'
import { loadGenerator } from '#model/generation/loadGenerator.ts'
import { loadScorer } from '#model/scoring/loadScorer.ts'
import type { Scorer } from '#model/scoring/score.ts'
import { groupStep } from '../groupStep.ts'
import { TrainerError } from '../trainerError.ts'
import { openAdapterPolicy } from './adapterPolicy.ts'
import { createHeldScorer } from './heldScorer.ts'
import type { Policy } from './policy.ts'
import type { LoadedPolicy, PolicyHandlers, PolicyMessage, PolicyWorkerOptions, SignOfLife } from './policyProtocol.ts'
import { createPublishedReader } from './publishedReader.ts'
import { openWholePolicy } from './wholePolicy.ts'

// The process that owns the weights, forked by `openPolicyClient`. Operations run one after another, in the order of the calls.

const {
  threads = 1,
  device = 'cpu',
  adamW = {},
  clipNorm,
  temperature,
  topP,
  adapter,
  residentBytes,
} = JSON.parse(process.argv[2] ?? '{}') as PolicyWorkerOptions
const settings = { threads, device, adamW, clipNorm, temperature, topP }
const closing = new AbortController()
const published = createPublishedReader({ threads, device, residentBytes })
let policy: Policy | undefined
let judge: Scorer | undefined
let frozen: Generator | undefined
/** Released by any other operation: beliefs are asked for one after another, and then not for long. */
const scorer = createHeldScorer(() => loaded().openScorer())

const handlers: PolicyHandlers = {
  async load(folder, base = folder) {
    const opened = adapter
      ? await openAdapterPolicy(folder, base, adapter, settings)
      : await openWholePolicy(folder, base, settings)
    await policy?.dispose()
    policy = opened
    return described(opened)
  },
  async loadJudge(folder, precision) {
    const weightsHash = await hashStoredWeights(folder, await readDecoderConfig(folder))
    await judge?.dispose()
    judge = await loadScorer(folder, { precision, threads, device })
    return { weightsHash }
  },
  async loadFrozen(folder, precision) {
    await frozen?.dispose()
    frozen = await loadGenerator(folder, { precision, threads, device, signal: closing.signal })
  },
  generate: async request => (frozen ?? loaded()).generate({ ...request, signal: closing.signal }),
  score: async sequences => loadedJudge().score(sequences, { signal: closing.signal }),
  choose: async choices => loadedJudge().choose(choices, { signal: closing.signal }),
  async logprobs(sequences) {
    const scores = await (await scorer.use()).score(sequences, { signal: closing.signal })
    return scores.map(score => score.logprobs)
  },
  policyStep: async (groups, options) => groupStep(loaded().trainer, groups, options),
  async save(folder) {
    const saved = loaded()
    await saved.save(folder)
    return described(saved)
  },
  weightsHash: async () => loaded().weightsHash(),
  publish: async () => loaded().publish(),
  readDraws: published.readDraws,
  generatePublished: (from, request) => published.generate(from, { ...request, signal: closing.signal }),
}

async function described({ weightsHash, trainer }: Policy): Promise<LoadedPolicy> {
  return { weightsHash: await weightsHash(), steps: trainer.steps }
}

function loaded(): Policy {
  if (!policy) throw notLoaded('policy')
  return policy
}

function loadedJudge(): Scorer {
  if (!judge) throw notLoaded('judge model')
  return judge
}

const notLoaded = (what: string) =>
  new TrainerError(`the ${what} is not loaded`, { hint: 'This is a defect of the program; please report it.' })

let queue: Promise<void> = Promise.resolve()

// Ctrl-C and the end of a terminal reach every process of it: the client closes this one cleanly.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

/** Interval of progress messages to the client, which kills a worker that is silent for minutes. */
const TELL_EVERY_MS = 1_000
let toldMs = Number.NEGATIVE_INFINITY
sessionProgress.subscribe(() => {
  if (performance.now() - toldMs < TELL_EVERY_MS || !process.connected) return
  toldMs = performance.now()
  process.send?.({ alive: true } satisfies SignOfLife)
})

// The client is gone: nobody needs pending results.
process.on('disconnect', () => process.exit())

process.on('message', (message: PolicyMessage) => {
  if ('close' in message) closing.abort()
  queue = queue.then(() => ('close' in message ? close() : answer(message)))
})

async function answer(call: Exclude<PolicyMessage, { close: true }>): Promise<void> {
  if (closing.signal.aborted) return
  if (call.operation !== 'logprobs') await scorer.release()
  process.send?.(await answerCall(call, handlers, 'POLICY_WORKER'))
}

async function close(): Promise<void> {
  await scorer.release()
  await policy?.dispose()
  await judge?.dispose()
  await frozen?.dispose()
  await published.dispose()
  process.exit()
}
