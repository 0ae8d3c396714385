import { fork } from 'node:child_process'
import { siblingModule } from '#base/siblingModule.ts'
import { PendingCalls } from '#base/threads/pendingCalls.ts'
import { createPatience, type Patience, watchSilence } from '#base/threads/silenceWatch.ts'
import { type Answer, WorkerError } from '#base/threads/workerCalls.ts'
import {
  type PolicyHandlers,
  type PolicyOperation,
  type PolicyWorkerOptions,
  policyHandlers,
  type SignOfLife,
} from './policyProtocol.ts'

/**
 * The policy and the judge model in their own process: the caller's event loop is never blocked, and a crash in native code ends only that
 * process.
 */
export interface PolicyClient extends PolicyHandlers {
  /** How often the policy fell back to the folder that was last loaded or saved, because its worker was replaced. */
  setbacks(): number
  /**
   * Stops the worker. Running and waiting operations reject with code POLICY_CLOSED. In the worker, generation and scoring end at their next
   * step; a save or an update is completed, so that no file is left half-written.
   */
  close(): Promise<void>
}

/** Interval of reports of a long operation. */
const TOLD_EVERY_MS = 60_000

/** Called once a minute with the operation that has been running for the longest. */
export type SlowOperation = (operation: PolicyOperation, seconds: number) => void

/**
 * Starts the worker. Nothing is loaded yet: call `load` and `loadJudge`.
 *
 * Every operation rejects with a {@link WorkerError}: the worker's own NodeError (same code and hint),
 * POLICY_CLOSED after `close`, POLICY_WORKER_ENDED if the worker dies, and POLICY_WORKER_HUNG if it is killed for its silence (the last two are
 * retryable, with a new client).
 *
 * @param patience - how long the worker may be silent while it works or closes.
 */
export function openPolicyClient(
  options: PolicyWorkerOptions = {},
  slow: SlowOperation = () => {},
  patience: Patience = createPatience(),
): PolicyClient & { readonly pid: number } {
  const script = siblingModule(import.meta, 'policyWorker')
  const worker = fork(script, [JSON.stringify(options)], { serialization: 'advanced', execArgv: [] })
  const calls = new PendingCalls<PolicyOperation>(call => void worker.send(call))
  const telling = setInterval(() => {
    const { oldest } = calls
    if (oldest && oldest.waitedMs >= TOLD_EVERY_MS) slow(oldest.operation, Math.round(oldest.waitedMs / 1000))
  }, TOLD_EVERY_MS).unref()

  let isClosing = false
  const watch = watchSilence(
    patience,
    () => calls.size > 0 || isClosing,
    silentMs => {
      end(workerHung(silentMs))
      // A stopped process handles no other signal.
      worker.kill('SIGKILL')
    },
  )

  function end(error: WorkerError): void {
    clearInterval(telling)
    calls.end(error)
  }

  const exited = new Promise<void>(resolve => {
    worker.once('exit', (code, signal) => {
      watch.stop()
      end(workerEnded(signal === null ? `with code ${code}` : `by ${signal}`))
      resolve()
    })
    // Each call to a dead worker emits an error, and an error event without a listener would end the peer.
    worker.on('error', error => {
      end(workerEnded(`by an error: ${error.message}`, error))
      // A process that never started does not exit.
      if (worker.pid !== undefined) return
      watch.stop()
      resolve()
    })
  })
  worker.on('message', (message: unknown) => {
    watch.heard()
    const said = message as Answer | SignOfLife
    if ('alive' in said) return
    calls.settle(said)
  })

  const call = <K extends PolicyOperation>(operation: K) =>
    ((...args: readonly unknown[]) => calls.ask(operation, args)) as PolicyHandlers[K]

  return {
    pid: worker.pid ?? 0,
    ...policyHandlers(call),
    setbacks: () => 0,
    async close() {
      end(closed())
      isClosing = true
      if (worker.connected) worker.send({ close: true })
      await exited
    },
  }
}

const closed = () =>
  new WorkerError({
    message: 'the policy worker was closed',
    code: 'POLICY_CLOSED',
    hint: 'Nothing to do: the node is stopping.',
    retryable: false,
  })

const workerHung = (silentMs: number) =>
  new WorkerError({
    message: `the policy worker gave no sign of life for ${Math.round(silentMs / 1000)} s`,
    code: 'POLICY_WORKER_HUNG',
    hint: 'It is replaced automatically. If it happens again, look for a stopped process or a failing GPU, or try --device cpu.',
    retryable: true,
  })

const workerEnded = (how: string, cause?: unknown) =>
  new WorkerError(
    {
      message: `the policy worker ended ${how}`,
      code: 'POLICY_WORKER_ENDED',
      hint: 'If it happens again, check that there is enough free memory, or try --device cpu.',
      retryable: true,
    },
    cause,
  )

/** A call fails after this many crashes in a row. */
const MAX_CRASHES_ON_END = 3

/** Codes of errors after which a worker has to be replaced: it died, it hung, or its GPU failed. */
const FATAL: readonly string[] = ['POLICY_WORKER_ENDED', 'POLICY_WORKER_HUNG', 'ENGINE_DEVICE']

/** Operations that give the same result again from the same weights. An interrupted update or save rejects instead: the caller decides what to repeat. */
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

/** Callbacks for each replaced worker and for long operations. */
export interface WorkerWatch {
  crashed(error: WorkerError): void
  readonly slow?: SlowOperation | undefined
}

/**
 * A policy whose worker restarts if it dies or hangs, or if its GPU fails. The new worker loads the folder that was last loaded or saved; updates
 * since then are lost. Repeatable operations are repeated. An update or a save rejects, and the policy is as it was saved.
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
  /** The current worker's load of the previous worker's state; undefined if it has not begun. */
  let loading: Promise<void> | undefined = Promise.resolve()
  let crashesOnEnd = 0
  let setbacks = 0
  const loaded: { [K in 'load' | 'loadJudge' | 'loadFrozen']?: Parameters<PolicyHandlers[K]> } = {}

  /** Resolves when the worker has loaded the previous worker's state. If that fails, the next call tries again. */
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

  /** One restart for all operations that a crash interrupted. */
  function restart(error: WorkerError, dead: PolicyClient): Promise<void> {
    if (client !== dead) return ready()
    crashesOnEnd++
    setbacks++
    crashed(error)
    // A worker that is still alive has lost its GPU.
    void dead.close()
    client = open(options, patience)
    loading = undefined
    if (crashesOnEnd < MAX_CRASHES_ON_END) return ready()
    // This call fails. A role waits before its next call, which gets a new worker.
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
        // A saved adapter belongs to the base that was loaded first.
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
    setbacks: () => setbacks,
    close: () => client.close(),
  }
}
