import { parentPort } from 'node:worker_threads'
import { type Bodies, type BodyOperations, bodiesHere } from '#core/payloads/bodyOperations.ts'
import { answerCall } from '#core/threads/answerCall.ts'
import type { Call } from '#core/threads/workerCalls.ts'
import { type PartedBody, partBody } from './bodyParts.ts'

// The thread that opens and seals bodies, started by `createBodyThread`.

/** What has been opened and not taken whole. */
const opened = new Map<number, unknown[][]>()
let openings = 0

/** A body without its list; the parts of that are taken one by one. */
export type OpeningAnswer = PartedBody['head'] & { id: number; parts: number }

export interface BodyWorkerOperations extends Pick<BodyOperations, 'seal'> {
  open(kind: keyof Bodies, bytes: Uint8Array): Promise<OpeningAnswer | null>
  take(id: number): Promise<unknown[]>
}

const operations: BodyWorkerOperations = {
  seal: bodiesHere.seal,
  async open(kind, bytes) {
    const found = await bodiesHere.open(kind, bytes)
    if (found === null) return null
    const { head, parts } = partBody(kind, found)
    const id = openings++
    if (parts.length > 0) opened.set(id, parts)
    return { ...head, id, parts: parts.length }
  },
  async take(id) {
    const parts = opened.get(id) ?? []
    const part = parts.shift() ?? []
    if (parts.length === 0) opened.delete(id)
    return part
  },
}

parentPort?.on('message', async (call: Call) => {
  parentPort?.postMessage(await answerCall(call, operations, 'BODY_WORKER'))
})
