import type { SentError } from './sentError.ts'

// What crosses between a worker, a thread or a process, and who asks it.

/** A question to a worker: which of its operations, with which arguments. */
export interface Call<Operation extends string = string> {
  readonly id: number
  readonly operation: Operation
  readonly args: readonly unknown[]
}

/** What came of the call with the same number. */
export type Answer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: SentError }

/** The operations of a worker as those outside of it have them. */
export type Across<Operations> = {
  [K in keyof Operations]: Operations[K] extends (...args: infer A) => infer R ? (...args: A) => Promise<R> : never
}
