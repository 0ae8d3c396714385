import type { Hex } from '#core/hex.ts'
import type { SequenceScorer } from '#environments/codezero/createJudge.ts'
import type { Completion, GenerateOptions } from '#model/generate.ts'
import type { PolicySequence, PolicyStepOptions, StepReport } from '#rl/trainer.ts'

/** A policy that samples, and that may learn. It lives in a worker, so that no call blocks the event loop. */
export type Policy = {
  generate: (request: Omit<GenerateOptions, 'signal'>) => Promise<Completion[]>
  learn: (sequences: readonly PolicySequence[], options: PolicyStepOptions) => Promise<StepReport>
  /** sha-256 of the weights as they are now. */
  hash: () => Promise<Hex>
  /** Keeps weights and optimiser in a folder, all or nothing. */
  save: (folder: string) => Promise<void>
  close: () => Promise<void>
}

/** A frozen model that scores given tokens, in a worker. */
export type FrozenScorer = SequenceScorer & { close: () => Promise<void> }
