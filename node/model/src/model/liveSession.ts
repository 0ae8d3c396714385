import type { OnnxModel } from '#engine/onnxModel.ts'
import { createSession, type Session } from '#engine/session.ts'
import { copyWeights, sameWeights, type Weights } from './decoder/weights.ts'
import { ModelInputError } from './modelErrors.ts'

/** A session that runs one job at a time. */
export interface SessionQueue {
  /**
   * Runs a job on the session. Jobs wait for each other.
   *
   * @throws {ModelInputError} if it was disposed of.
   */
  use<T>(job: (session: Session) => Promise<T>): Promise<T>
  /** Waits for the jobs, then frees the session. Further calls do nothing. */
  dispose(): Promise<void>
}

/**
 * A session that follows weights which are changed in place: it is built again if they differ from those that it has when a
 * job begins. Comparing takes a millisecond for a million parameters, building some tens.
 *
 * Weights are constants of the graph, because ONNX Runtime then packs them once. With packed matrices each row is bitwise
 * identical for any other rows in the batch and any number of threads.
 *
 * @param build - makes the model from a copy of the weights.
 */
export function createLiveSession(
  weights: Weights,
  build: (weights: Weights) => OnnxModel,
  options: { threads: number },
): SessionQueue {
  let built: { session: Session; of: Weights } | undefined

  async function current(): Promise<Session> {
    if (built && sameWeights(built.of, weights)) return built.session
    await built?.session.dispose()
    built = undefined
    const of = copyWeights(weights)
    const session = await createSession(build(of), options)
    built = { session, of }
    return session
  }

  return createQueue(current, async () => built?.session.dispose())
}

/** A session of a model that does not change, made at once. */
export function createFixedSession(session: Session): SessionQueue {
  return createQueue(
    async () => session,
    () => session.dispose(),
  )
}

function createQueue(open: () => Promise<Session>, free: () => Promise<void>): SessionQueue {
  let queue: Promise<unknown> = Promise.resolve()
  let disposed: Promise<void> | undefined
  return {
    use(job) {
      if (disposed) return Promise.reject(disposedError())
      const result = queue.then(async () => job(await open()))
      queue = result.catch(() => undefined) // the caller has the error
      return result
    },
    dispose() {
      disposed ??= queue.then(free)
      return disposed
    },
  }
}

export const disposedError = () =>
  new ModelInputError('the model was disposed of', { hint: 'Load it again, or dispose of it later.' })
