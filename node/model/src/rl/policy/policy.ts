import type { Completion, GenerateOptions } from '#model/generation/completion.ts'
import type { Scorer } from '#model/scoring/score.ts'
import type { Trainer } from '../trainer.ts'

/** A policy that samples, scores and learns: all of its weights, or an adapter over frozen ones. */
export interface Policy {
  readonly trainer: Trainer
  generate(request: GenerateOptions): Promise<Completion[]>
  /** A scorer of the policy as it is now, with a session of its own: the caller disposes of it, before the policy changes. */
  openScorer(): Promise<Scorer>
  /** Content hash of the current policy: of the bytes that `publish` returns. */
  weightsHash(): Promise<`0x${string}`>
  /** The bytes of the current policy, as peers publish them. */
  publish(): Promise<Uint8Array>
  /** Saves the trained tensors and the optimizer's state; a crash leaves either the last save or this one complete. */
  save(folder: string): Promise<void>
  dispose(): Promise<void>
}
