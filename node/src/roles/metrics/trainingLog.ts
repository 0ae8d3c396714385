import { createStream } from 'rotating-file-stream'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import type { LevelFigures } from './passByLevel.ts'

/** One update of the policy. A figure is null where it was not measured. */
export type TrainingStep = {
  /** Groups of completions that it was on, and those that had something to teach. */
  groups: number
  groupsUsed: number
  /** Of the groups, those of this solver. */
  ownGroups: number
  /** Key of the peer whose groups they are, where they are of one other. */
  peer: string | null
  /** What the judge says of the answers, by the level of their tasks. */
  levels: readonly LevelFigures[]
  /** Mean composite score of the completions. */
  reward: number
  /** Mean predicted correctness of the completions: pass@1 by the judge. */
  passAt1: number
  loss: number | null
  /** Nats a token that the update moved the policy; measured on groups of others. */
  kl: number | null
  /** Nats a token: mean surprise of what this policy sampled itself, an unbiased estimate at temperature 1. */
  entropy: number | null
  /** Share of tokens that the update moved out of the clip range; measured on groups of others. */
  clipFraction: number | null
  /** Before clipping. */
  gradientNorm: number | null
  learningRate: number
  /** Mean tokens of a completion. */
  completionTokens: number
  /** Tokens fed to the update. */
  tokens: number
  seconds: number
  /** Why the policy is as it was; null where it learned. */
  failure: string | null
}

export type TrainingTotals = { steps: number; failed: number; tokens: number; seconds: number }

/** What a solver learned, update by update: for its operator, and for nobody else to believe. */
export type TrainingLog = {
  note(step: TrainingStep): void
  /** The last step with groups of its own, and the last one with groups of others. */
  latest(): { own: TrainingStep | null; others: TrainingStep | null }
  totals(): TrainingTotals
  /** Resolves once all lines are on the disk. */
  close(): Promise<void>
}

export const TRAINING_FILE = 'training.jsonl'
/** 100,000 steps, and as many of before. */
const FILE_SIZE = '48M'
const FILES = 1

type Options = { folder: string; round: () => number | null; clock: Clock; logger: Logger }

/** Keeps one JSON line a step in the peer's folder, and says each in the log. */
export function createTrainingLog({ folder, round, clock, logger }: Options): TrainingLog {
  let file: ReturnType<typeof createStream> | null = null
  const latest: ReturnType<TrainingLog['latest']> = { own: null, others: null }
  const totals: TrainingTotals = { steps: 0, failed: 0, tokens: 0, seconds: 0 }

  /** At the first step: other roles have none. */
  function open() {
    const opened = createStream(TRAINING_FILE, { path: folder, size: FILE_SIZE, rotate: FILES, mode: 0o600 })
    opened.once('error', error => logger.warn('the training log is not written until the next start', { error }))
    return opened.on('error', () => {})
  }
  return {
    note(step) {
      file ??= open()
      const at = new Date(clock.nowMs()).toISOString()
      file.write(`${JSON.stringify({ at, round: round(), ...step })}\n`)
      logger.info('update', { round: round(), ...step })
      if (step.ownGroups > 0) latest.own = step
      else latest.others = step
      totals.steps += 1
      totals.failed += step.failure === null ? 0 : 1
      totals.tokens += step.tokens
      totals.seconds += step.seconds
    },
    latest: () => latest,
    totals: () => totals,
    close: () => new Promise(resolve => (file === null || file.destroyed ? resolve() : file.end(() => resolve()))),
  }
}
