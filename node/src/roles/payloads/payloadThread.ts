import { Worker } from 'node:worker_threads'
import { type AskedThread, askThread } from '#base/threads/askThread.ts'
import { WorkerError } from '#base/threads/workerCalls.ts'
import type { PayloadOperations } from '#core/payloads/payloads.ts'
import { joinPayload } from './payloadParts.ts'
import type { OpeningAnswer, PayloadWorkerOperations } from './payloadWorker.ts'

/** The largest payload takes some 300 MB while it is opened. A young generation of V8's own 48 MB would be kept by a thread whose time does not matter. */
const LIMITS = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 6 }

export interface PayloadThread extends PayloadOperations {
  /** Stops the thread. It does not keep the process alive while it has nothing to do. */
  close(): Promise<void>
}

/**
 * Opens and seals payloads in its own thread, since the sender decides how large one is, and receives opened payloads in parts. The thread
 * starts at once, because a start costs the caller tens of milliseconds. After it died, the next call starts another.
 *
 * Calls reject with a {@link WorkerError}: PAYLOADS_CLOSED after `close`, or PAYLOADS_ENDED if the thread dies.
 *
 * @param start - starts the thread; the real one unless a test watches.
 */
export function createPayloadThread(start = startPayloadWorker): PayloadThread {
  const launch = (): AskedThread<keyof PayloadWorkerOperations> => askThread(start(), ended)
  let thread = launch()
  let isClosed = false
  /** The running thread. A payload's parts are taken from the thread that opened it; another does not have them. */
  const alive = (): AskedThread<keyof PayloadWorkerOperations> => {
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
      return joinPayload(kind, { head, parts })
    },
    seal: (async (kind, payload) => alive().ask('seal', [kind, payload])) as PayloadOperations['seal'],
    async close() {
      isClosed = true
      await thread.stop(closed())
    },
  }
}

export function startPayloadWorker(): Worker {
  const script = new URL('./payloadWorker.ts', import.meta.url)
  return new Worker(script, { execArgv: [], resourceLimits: LIMITS })
}

const closed = () =>
  new WorkerError({
    message: 'the thread that opens payloads was closed',
    code: 'PAYLOADS_CLOSED',
    hint: 'Nothing to do: the node is stopping.',
    retryable: false,
  })

const ended = (cause?: unknown) =>
  new WorkerError(
    {
      message: `the thread that opens payloads ended${cause instanceof Error ? `: ${cause.message}` : ''}`,
      code: 'PAYLOADS_ENDED',
      hint: 'Check that there is free memory; it restarts automatically.',
      retryable: true,
    },
    cause,
  )
