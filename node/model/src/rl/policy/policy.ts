import type { Completion, GenerateOptions } from '#model/generation/completion.ts'
import type { Scorer } from '#model/scoring/score.ts'
import type { Trainer } from '../trainer.ts'

/** A policy that samples, scores and learns: all of its weights, or an adapter over frozen ones. */
export interface Policy {
  readonly trainer: Trainer
  generate(request: GenerateOptions): Promise<Completion[]>
  /** Under the policy as it is now. */
  scorer(): Promise<Scorer>
  /** Content hash of the policy as it is now: of what `publish` gives. */
  weightsHash(): Promise<`0x${string}`>
  /** The policy as it is now, as peers publish it. */
  publish(): Promise<Uint8Array>
  /** Saves what is trained and the optimizer's state; a crash leaves the last save or this one, whole. */
  save(folder: string): Promise<void>
  dispose(): Promise<void>
}
