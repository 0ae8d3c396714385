import { z } from 'zod'
import type { Identity } from '#store/identity.ts'
import type { Journal } from '#store/journal.ts'
import type { PeerNode } from '../peerNode.ts'

/** The journal's key for the model and settings of a solver, or of a proposer that learns: for an operator's gateway. */
export const RUN = 'run'

export const runSchema = z.object({
  peerKey: z.string().regex(/^0x[0-9a-f]{64}$/),
  /** Role of the peer; earlier releases noted only solvers. */
  role: z.enum(['solver', 'proposer']).default('solver'),
  /** As the operator named it, without folders; null for the starter models. */
  model: z.string().max(256).nullable(),
  trained: z.enum(['weights', 'adapter']),
  device: z.string().max(32),
  startedAtMs: z.number(),
})

export type RunNote = z.infer<typeof runSchema>

/** Notes the model and settings of this start. */
export function noteRun(
  {
    journal,
    identity,
    clock,
  }: Pick<PeerNode, 'clock'> & {
    journal: Pick<Journal, 'setState'>
    identity: Pick<Identity, 'peerKey'>
  },
  run: Omit<RunNote, 'peerKey' | 'startedAtMs'>,
): void {
  const note: RunNote = { peerKey: identity.peerKey, ...run, startedAtMs: clock.nowMs() }
  journal.setState(RUN, note)
}
