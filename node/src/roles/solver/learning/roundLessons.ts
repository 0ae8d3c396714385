import type { PeerKey } from '#core/hashes.ts'
import type { Logger } from '#core/logger.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import type { CheckedGroup } from '../../draws/checkRollouts.ts'
import type { ScoredGroup } from '../chooseLessons.ts'
import type { Learner } from '../learner.ts'
import type { Quarantine } from '../quarantine.ts'
import type { Trust } from '../trust.ts'
import type { UsualNats } from './usualNats.ts'

/** Groups of one other peer; none where it committed some and nothing came, or it is left alone. */
export type PeerGroups = { peerKey: PeerKey; groups: readonly CheckedGroup[] }

export type LearningModules = {
  learner: Learner
  quarantine: Quarantine
  trust: Trust
  usual: UsualNats
  logger: Logger
  /** Size of the vocabulary, tokens. */
  vocabSize: number
  /** Of the node: what fails while it stops is nobody's fault. */
  signal: AbortSignal
}

export type RoundLessons = {
  round: number
  spec: Pick<EnvironmentSpec, 'training' | 'sharing'>
  /** A promise where they are still sampled, which never rejects. */
  own: readonly CheckedGroup[] | Promise<readonly CheckedGroup[]>
  others: AsyncIterable<PeerGroups>
  /** After it, no update is made up. */
  until: AbortSignal
}

export type LearnedRound = {
  /** Mean composite score of the own answers, by this solver's copy of the judge; 0 where there are none. */
  meanReward: number
  /** Mean predicted correctness of the own answers. */
  averageAtK: number
  /** The same by the families of their tasks; none where the environment has no families. */
  families: Record<string, number>
  /** Groups of others that were trained on. */
  taken: number
  /** Updates that changed the policy. */
  updates: number
  /** Groups that were not, own ones included, by the reason. */
  refused: Record<string, number>
}

export type PeerLessons = { peerKey: PeerKey; groups: readonly ScoredGroup[] }
