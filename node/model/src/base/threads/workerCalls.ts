import type { SentError } from './sentError.ts'

// Messages between a worker (a thread or a process) and its caller.

/** A call to a worker: operation and arguments. */
export interface Call<Operation extends string = string> {
  readonly id: number
  readonly operation: Operation
  readonly args: readonly unknown[]
}

/** The result of the call with the same number. */
export type Answer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: SentError }

/** The operations of a worker as its callers see them. */
export type Across<Operations> = {
  [K in keyof Operations]: Operations[K] extends (...args: infer A) => infer R ? (...args: A) => Promise<R> : never
}
