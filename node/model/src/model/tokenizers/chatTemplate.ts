import { Template } from '@huggingface/jinja'
import { ModelFileError } from '../modelErrors.ts'
import { OutOfTimeError, withinTime } from './withinTime.ts'

/** One turn of a conversation. */
export type ChatMessage = { readonly role: 'system' | 'user' | 'assistant'; readonly content: string }

/** Templates take under a millisecond; one that has not ended by now does not end. */
const RENDER_MS = 1000

/** A conversation of 32,000 tokens has about this many characters. */
const MAX_RENDERED_CHARACTERS = 1 << 20

/** A model's chat template, by Hugging Face's Jinja. */
export type ChatTemplate = {
  /**
   * The conversation as text, up to where the assistant's answer begins. Models that can think aloud are told not to.
   *
   * @throws {ModelFileError} if the template fails, does not end, or writes without measure.
   */
  render(messages: readonly ChatMessage[]): string
}

/**
 * @param variables - `bos_token` and the like, as templates name them.
 * @throws {ModelFileError} if it is not a template.
 */
export function chatTemplate(path: string, text: string, variables: Readonly<Record<string, string>>): ChatTemplate {
  const refuse = (problem: string, cause?: unknown) =>
    new ModelFileError(path, 'chat_template', problem, {
      hint: 'Use the chat template that the model was published with.',
      cause,
    })
  const bounded = <T>(what: string, work: () => T): T => {
    try {
      return withinTime(RENDER_MS, work)
    } catch (cause) {
      if (cause instanceof OutOfTimeError) throw refuse(`does not end within ${RENDER_MS} ms`, cause)
      throw refuse(`${what}: ${messageOf(cause)}`, cause)
    }
  }
  const template = bounded('is not a template', () => new Template(text))
  return {
    render(messages) {
      const context = { ...variables, messages, add_generation_prompt: true, enable_thinking: false }
      const rendered = bounded('failed', () => template.render(context))
      if (rendered.length <= MAX_RENDERED_CHARACTERS) return rendered
      throw refuse(`made ${rendered.length} characters of a conversation`)
    },
  }
}

/** One line of what a template threw, which may be anything and of any length. */
function messageOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause)
  return text.split('\n')[0]?.slice(0, 200) ?? ''
}
