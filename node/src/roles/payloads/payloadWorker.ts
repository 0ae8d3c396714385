import { parentPort } from 'node:worker_threads'
import { answerCall, type Call } from '#base/threads/workerCalls.ts'
import { type PayloadOperations, type Payloads, payloadsHere } from '#core/payloads/payloads.ts'
import { type PartedPayload, partPayload } from './payloadParts.ts'

// The thread that opens and seals payloads, started by `createPayloadThread`.

/** Opened payloads that are not fully transferred. */
const opened = new Map<number, unknown[][]>()
let openings = 0

/** A payload without its list; the parts of that are taken one by one. */
export type OpeningAnswer = PartedPayload['head'] & { id: number; parts: number }

export interface PayloadWorkerOperations extends Pick<PayloadOperations, 'seal'> {
  open(kind: keyof Payloads, bytes: Uint8Array): Promise<OpeningAnswer | null>
  take(id: number): Promise<unknown[]>
}

const operations: PayloadWorkerOperations = {
  seal: payloadsHere.seal,
  async open(kind, bytes) {
    const found = await payloadsHere.open(kind, bytes)
    if (found === null) return null
    const { head, parts } = partPayload(kind, found)
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
  parentPort?.postMessage(await answerCall(call, operations, 'PAYLOAD_WORKER'))
})
