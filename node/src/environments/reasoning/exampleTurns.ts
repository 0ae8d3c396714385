import type { Quoted, ReasoningProblem } from './drawQuestion.ts'
import { finalReply, type ReplyStyle, readReply } from './readReply.ts'
import type { ReasoningSpec } from './reasoningSpec.ts'

type Examples = ReasoningSpec['prompts']['examples']
type Example = Examples[number] & { readonly quoted?: Quoted }

/**
 * The examples of a specification as turns of a chat, in the form that is asked for: in the last stage with quotations, and with a reply that names
 * the majority too.
 *
 * @param tell - the wording of a question.
 */
export function exampleTurns(
  { reply, prompts }: Pick<ReasoningSpec, 'reply' | 'prompts'>,
  isFinal: boolean,
  tell: (asked: Pick<ReasoningProblem, 'question' | 'kind' | 'quoted'>) => string,
) {
  const { examples } = prompts
  const shown: Example[] = isFinal ? examples.flatMap((_, at) => finalExample(reply, examples, at) ?? []) : examples
  return shown.flatMap(example => [
    { role: 'user', content: tell(example) } as const,
    { role: 'assistant', content: example.reply } as const,
  ])
}

/** In every second one the majority has the answer of another example: otherwise the two answers of a reply would always be the same. */
function finalExample(style: ReplyStyle, examples: Examples, at: number): Example | null {
  const example = examples[at]
  const own = example && readReply(style, example.kind, example.reply)
  // Its reply cannot be read.
  if (!example || !own) return null
  const answers = examples.map(({ kind, reply }) => (kind === example.kind ? readReply(style, kind, reply) : null))
  const other = answers.find(answer => answer !== null && answer !== own) ?? own
  const [majority, rest] = at % 2 === 0 ? [own, other] : [other, own]
  const quoted: Quoted = { stage: 2, texts: [rest, majority, majority], majority }
  return { ...example, quoted, reply: finalReply(style, example.reply, majority) }
}
