import type { Confusion } from '#environments/judgeFigures.ts'

/** What this peer found and its outcome, since the start. */
export type AppealCounts = Map<'not worth it' | 'sent' | 'upheld' | 'not upheld', number>

/** What an auditor found since its start: rounds that it read, and scores by their outcome. */
export type AuditCounts = Map<'rounds' | 'right' | 'wrong' | 'unchecked', number>

/** Answers by what the judge called them and what execution showed: `right wrong` is one that the judge alone calls right. */
export type JudgeCounts = Map<`${'right' | 'wrong'} ${'right' | 'wrong'}`, number>

/** What the judge said of a canary's answers, against execution; canaries of earlier releases lack it. */
export type JudgedCanary = {
  readonly round: number
  readonly samples: number
  readonly judge?: Confusion & { calibrationError: number }
}
