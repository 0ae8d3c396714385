import { NodeError } from '#base/errors.ts'

/** Whether a failure ends the role: the node stops, or nothing that is tried again can help. Any other costs the part of a round in which it happened. */
export const endsRole = (error: unknown, signal: AbortSignal): boolean =>
  signal.aborted || (error instanceof NodeError && error.isFinal)
