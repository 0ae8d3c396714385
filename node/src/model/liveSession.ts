import type { OnnxModel } from '#engine/onnxModel.ts'
import { createSession, type Session } from '#engine/session.ts'
import { copyWeights, sameWeights, type Weights } from './weights.ts'

/** A session that follows weights which are changed in place. */
export interface LiveSession {
  /**
   * Runs a job on a session with the weights as they are now. Jobs wait for each other.
   *
   * The session is built again if the weights differ from those that it has: comparing takes a millisecond for a million
   * parameters, building some tens.
   */
  use<T>(job: (session: Session) => Promise<T>): Promise<T>
  /** Waits for the jobs, then frees the session. */
  dispose(): Promise<void>
}

/**
 * Weights as constants of a graph and yet live. Constants, because ONNX Runtime then packs them once, and products with
 * packed matrices give each row the same bits whatever other rows are beside it and however many threads work.
 *
 * @param build - makes the model from a copy of the weights.
 */
export function createLiveSession(
  weights: Weights,
  build: (weights: Weights) => OnnxModel,
  options: { threads: number },
): LiveSession {
  let built: { session: Session; of: Weights } | undefined
  let queue: Promise<unknown> = Promise.resolve()

  async function current(): Promise<Session> {
    if (built && sameWeights(built.of, weights)) return built.session
    await built?.session.dispose()
    built = undefined
    const of = copyWeights(weights)
    const session = await createSession(build(of), options)
    built = { session, of }
    return session
  }

  return {
    use(job) {
      const result = queue.then(async () => job(await current()))
      queue = result.catch(() => undefined) // the caller has the error
      return result
    },
    async dispose() {
      await queue
      await built?.session.dispose()
      built = undefined
    },
  }
}
