import type { CalibrationBin, Confusion } from '#environments/judgeFigures.ts'

/** Wrong scores that this peer found since the start, by the outcome. */
export type AppealCounts = Map<'not worth it' | 'sent' | 'upheld' | 'not upheld' | 'no verdict', number>

/** An auditor's results since its start: rounds that it read, and scores by their outcome. */
export type AuditCounts = Map<'rounds' | 'right' | 'wrong' | 'unchecked' | 'no base', number>

/** Answers by the judge's verdict and the result of execution: `right wrong` is one that only the judge calls right. */
export type JudgeCounts = Map<`${'right' | 'wrong'} ${'right' | 'wrong'}`, number>

/** The judge's verdicts on a canary's answers, compared with execution. */
export type JudgedAnswers = Confusion & {
  readonly calibrationError: number
  /** The error of several canaries is computed from their bins; canaries of earlier releases lack them. */
  readonly bins?: CalibrationBin[]
}

/** A canary's round and number of answers, with the judge's verdicts; canaries of earlier releases lack these. */
export type JudgedCanary = {
  readonly round: number
  readonly samples: number
  readonly judge?: JudgedAnswers
}
