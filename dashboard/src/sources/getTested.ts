import { z } from 'zod'
import { readEnvironment } from './environment.ts'
import { fetchPart } from './fetchPart.ts'
import type { Part } from './part.ts'

/** Running answers starts Python, and some of them hang; a part of the page waits for it alone. */
const TIMEOUT_MS = 20_000

const verdict = z.enum(['pass', 'fail', 'error', 'timeout']).nullable()

const tested = z.object({
  tests: z.array(z.string()),
  /** For each test, whether it expects what the task asks for; null if the gateway cannot tell. Gateways of earlier releases do not send it. */
  right: z.array(z.boolean().nullable()).default([]),
  /** Null if the gateway runs none at the moment. */
  answers: z.array(z.object({ index: z.int().nonnegative(), verdicts: z.array(verdict) })).nullable(),
})

/** The outcome of a task's tests, by answer, as this gateway ran them; a verdict is null for a test that was not run. */
export type Tested = z.infer<typeof tested>

/** A solver's answers to a task, run with its tests; null if the gateway runs none of them: it lacks them, or is of an earlier release. */
export function getTested(round: number, taskHash: string, peerKey: string): Promise<Part<Tested | null>> {
  const path = `/v1/rounds/${round}/tests/${taskHash}/${peerKey}`
  const { gatewayUrl } = readEnvironment()
  return fetchPart('gateway', gatewayUrl, path, tested.nullable(), { missing: null, timeoutMs: TIMEOUT_MS })
}
