import { type AnswerKind, readAnswer } from './readAnswer.ts'

export const replyStyles = ['bare', 'tagged'] as const
export type ReplyStyle = (typeof replyStyles)[number]

const [OPEN, CLOSE] = ['<answer>', '</answer>'] as const

/** How a reply is asked for. */
export const replyForms: Record<ReplyStyle, string> = {
  bare: 'Write the answer and nothing else.',
  tagged: `Think first. Then write the answer, and nothing else, between ${OPEN} and ${CLOSE}.`,
}

/**
 * The answer that a reply gives, in its one spelling; null where it gives none, or more than one.
 *
 * In the `tagged` style the reply has one pair of tags and ends with it, so that nobody can answer twice, or after the fact.
 */
export function readReply(style: ReplyStyle, kind: AnswerKind, text: string): string | null {
  if (style === 'bare') return readAnswer(kind, text)
  const [before, ...afterOpen] = text.split(OPEN)
  const [answer, ...afterClose] = (afterOpen[0] ?? '').split(CLOSE)
  if (afterOpen.length !== 1 || afterClose.length !== 1 || before?.includes(CLOSE)) return null
  return afterClose[0]?.trim() === '' ? readAnswer(kind, answer ?? '') : null
}
