import { type AnswerKind, readAnswer } from './readAnswer.ts'

export const replyStyles = ['bare', 'tagged'] as const
export type ReplyStyle = (typeof replyStyles)[number]

const [OPEN, CLOSE] = ['<answer>', '</answer>'] as const

/** The wording that asks for a reply. */
export const replyForms: Record<ReplyStyle, string> = {
  bare: 'Write the answer and nothing else.',
  tagged: `Think first. Then write the answer, and nothing else, between ${OPEN} and ${CLOSE}.`,
}

const [OPEN_MAJORITY, CLOSE_MAJORITY] = ['<majority>', '</majority>'] as const

/** The wording that asks for a reply of the last stage, which also contains others' answers. */
export const finalForms: Record<ReplyStyle, string> = {
  bare: 'Write the answer on the first line, the answer that most of them gave on the second, and nothing else.',
  tagged: `Think first. Then write the answer between ${OPEN} and ${CLOSE}, and the answer that most of them gave between ${OPEN_MAJORITY} and ${CLOSE_MAJORITY}, and nothing else.`,
}

/** A reply of the last stage: one of an earlier stage, with the answer that most gave. */
export const finalReply = (style: ReplyStyle, reply: string, majority: string) =>
  `${reply.trim()}\n${style === 'bare' ? majority : `${OPEN_MAJORITY}${majority}${CLOSE_MAJORITY}`}`

/** The two answers of a reply of the last stage, as {@link readReply} reads one; null where either is missing. */
export function readFinal(style: ReplyStyle, kind: AnswerKind, text: string) {
  const [before, after, ...more] = text.trim().split(style === 'bare' ? '\n' : OPEN_MAJORITY)
  if (before === undefined || after === undefined || more.length > 0) return null
  const [told, ...afterClose] = style === 'bare' ? [after] : after.split(CLOSE_MAJORITY)
  const isClosed = style === 'bare' || (afterClose.length === 1 && afterClose[0] === '')
  const [answer, majority] = [readReply(style, kind, before), readAnswer(kind, told ?? '')]
  return isClosed && answer !== null && majority !== null ? { answer, majority } : null
}

/**
 * The answer that a reply gives, in its one spelling; null if it gives none, or more than one.
 *
 * In the `tagged` style the reply has one pair of tags and ends with it, so that a reply cannot contain a second or late answer.
 */
export function readReply(style: ReplyStyle, kind: AnswerKind, text: string): string | null {
  if (style === 'bare') return readAnswer(kind, text)
  const [before, ...afterOpen] = text.split(OPEN)
  const [answer, ...afterClose] = (afterOpen[0] ?? '').split(CLOSE)
  if (afterOpen.length !== 1 || afterClose.length !== 1 || before?.includes(CLOSE)) return null
  return afterClose[0]?.trim() === '' ? readAnswer(kind, answer ?? '') : null
}
