import { Worker } from 'node:worker_threads'
import type { BodyOperations } from '#core/payloads/bodyOperations.ts'
import { type AskedThread, askThread } from '#core/threads/askThread.ts'
import { WorkerError } from '#core/threads/sentError.ts'
import { joinBody } from './bodyParts.ts'
import type { BodyWorkerOperations, OpeningAnswer } from './bodyWorker.ts'

/** The largest body takes some 300 MB while it is opened. A young generation of V8's own 48 MB would be kept by a thread whose time does not matter. */
const LIMITS = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 6 }

export interface BodyThread extends BodyOperations {
  /** Stops the thread. It does not keep the process alive while it has nothing to do. */
  close(): Promise<void>
}

/**
 * Opens and seals payloads in a thread of its own, since the sender decides how large one is, and receives opened payloads in parts. The thread
 * starts at once, because a start costs the caller tens of milliseconds. After it died, the next call starts another.
 *
 * Calls reject with a {@link WorkerError}: BODIES_CLOSED after `close`, or BODIES_ENDED if the thread dies.
 *
 * @param start - starts the thread; the real one unless a test watches.
 */
export function createBodyThread(start = startBodyWorker): BodyThread {
  const launch = (): AskedThread<keyof BodyWorkerOperations> => askThread(start(), ended)
  let thread = launch()
  let isClosed = false
  /** The running thread. A payload's parts are taken from the thread that opened it; another does not have them. */
  const alive = (): AskedThread<keyof BodyWorkerOperations> => {
    if (isClosed) throw closed()
    if (thread.hasEnded()) thread = launch()
    return thread
  }
  return {
    async open(kind, bytes) {
      const opener = alive()
      const opening = (await opener.ask('open', [kind, bytes])) as OpeningAnswer | null
      if (opening === null) return null
      const { id, parts: count, ...head } = opening
      const parts: unknown[][] = []
      while (parts.length < count) parts.push((await opener.ask('take', [id])) as unknown[])
      return joinBody(kind, { head, parts })
    },
    seal: (async (kind, body) => alive().ask('seal', [kind, body])) as BodyOperations['seal'],
    async close() {
      isClosed = true
      await thread.stop(closed())
    },
  }
}

export function startBodyWorker(): Worker {
  const script = new URL('./bodyWorker.ts', import.meta.url)
  return new Worker(script, { execArgv: [], resourceLimits: LIMITS })
}

const closed = () =>
  new WorkerError({
    message: 'the thread that opens bodies was closed',
    code: 'BODIES_CLOSED',
    hint: 'Nothing to do: the node is stopping.',
    retryable: false,
  })

const ended = (cause?: unknown) =>
  new WorkerError(
    {
      message: `the thread that opens bodies ended${cause instanceof Error ? `: ${cause.message}` : ''}`,
      code: 'BODIES_ENDED',
      hint: 'Check that there is free memory; it starts again by itself.',
      retryable: true,
    },
    cause,
  )
