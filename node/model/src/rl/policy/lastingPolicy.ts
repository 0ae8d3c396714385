import { WorkerError } from '#base/threads/sentError.ts'
import { createPatience, type Patience } from '#base/threads/silenceWatch.ts'
import { openPolicyClient, type PolicyClient, type SlowOperation } from './policyClient.ts'
import {
  type PolicyHandlers,
  type PolicyOperation,
  type PolicyWorkerOptions,
  policyHandlers,
} from './policyProtocol.ts'

/** A call fails after so many ends of the worker in a row. */
const MAX_CRASHES_ON_END = 3

/** Codes of errors after which a worker is of no use: it died, it hung, or its GPU failed. */
const FATAL: readonly string[] = ['POLICY_WORKER_ENDED', 'POLICY_WORKER_HUNG', 'ENGINE_DEVICE']

/** What gives the same again from the same weights. What was lost of an update or a save, or was done with a stranger's policy, is the caller's to know of. */
const REPEATABLE: readonly PolicyOperation[] = [
  'load',
  'loadJudge',
  'loadFrozen',
  'generate',
  'score',
  'choose',
  'logprobs',
  'weightsHash',
  'publish',
  'generatePublished',
]

/** Who is told of each worker that was replaced, and of operations that take long. */
export interface WorkerWatch {
  crashed(error: WorkerError): void
  readonly slow?: SlowOperation | undefined
}

/**
 * A policy whose worker is started again when it dies, hangs or its GPU fails, from the folder that was last loaded or saved: what was learned since is
 * lost. What can be repeated is; an update or a save rejects, with the policy as it was saved.
 *
 * @param open - starts a worker; the real one unless a test watches.
 */
export function openLastingPolicy(
  options: PolicyWorkerOptions,
  { crashed, slow }: WorkerWatch,
  open: (options: PolicyWorkerOptions, patience: Patience) => PolicyClient = (settings, patience) =>
    openPolicyClient(settings, slow, patience),
  patience = createPatience(),
): PolicyClient {
  let client = open(options, patience)
  /** Of the worker there is; undefined if it has still to load what the last one had. */
  let loading: Promise<void> | undefined = Promise.resolve()
  let crashesOnEnd = 0
  const loaded: { [K in 'load' | 'loadJudge' | 'loadFrozen']?: Parameters<PolicyHandlers[K]> } = {}

  /** The worker has loaded what the last one had. Where that fails, the next call tries again. */
  function ready(): Promise<void> {
    loading ??= (async () => {
      if (loaded.load) await client.load(...loaded.load)
      if (loaded.loadJudge) await client.loadJudge(...loaded.loadJudge)
      if (loaded.loadFrozen) await client.loadFrozen(...loaded.loadFrozen)
    })().catch(error => {
      loading = undefined
      throw error
    })
    return loading
  }

  /** One restart for all operations that the death interrupted. */
  function restart(error: WorkerError, dead: PolicyClient): Promise<void> {
    if (client !== dead) return ready()
    crashesOnEnd++
    crashed(error)
    // One that still lives has lost its GPU.
    void dead.close()
    client = open(options, patience)
    loading = undefined
    if (crashesOnEnd < MAX_CRASHES_ON_END) return ready()
    // This call fails. A role waits before its next one, which has a worker again.
    crashesOnEnd = 0
    return Promise.reject(error)
  }

  const call = <K extends PolicyOperation>(operation: K) => {
    const run = async (...args: readonly unknown[]): Promise<unknown> => {
      let used = client
      try {
        await ready()
        used = client
        const result = await (used[operation] as (...args: readonly unknown[]) => Promise<unknown>)(...args)
        crashesOnEnd = 0
        patience.answered()
        if (operation === 'load') loaded.load = args as Parameters<PolicyHandlers['load']>
        // What was loaded first is what a saved adapter is for.
        if (operation === 'save') loaded.load = [args[0] as string, loaded.load?.[1] ?? loaded.load?.[0]]
        if (operation === 'loadJudge') loaded.loadJudge = args as Parameters<PolicyHandlers['loadJudge']>
        if (operation === 'loadFrozen') loaded.loadFrozen = args as Parameters<PolicyHandlers['loadFrozen']>
        return result
      } catch (error) {
        if (!(error instanceof WorkerError && FATAL.includes(error.code))) throw error
        await restart(error, used)
        if (REPEATABLE.includes(operation)) return run(...args)
        throw error
      }
    }
    return run as PolicyHandlers[K]
  }

  return {
    ...policyHandlers(call),
    close: () => client.close(),
  }
}
