import { Environment, Interpreter, Template } from '@huggingface/jinja'
import { ModelFileError } from '../modelErrors.ts'
import { evaluateStrip } from './evaluateStrip.ts'
import { OutOfTimeError, withinTime } from './withinTime.ts'

/** One turn of a conversation. */
export type ChatMessage = { readonly role: 'system' | 'user' | 'assistant'; readonly content: string }

/** Templates take under a millisecond; one that runs longer than this never ends. */
const RENDER_MS = 1000

/** A conversation of 32,000 tokens has about this many characters. */
const MAX_RENDERED_CHARACTERS = 1 << 20

/** As many as a range may have in Jinja's own sandbox. */
const MAX_ITEMS = 100_000

/**
 * Bounds every intermediate text and list of a template: a text of 2^28 characters that is split makes a list that is too long for V8,
 * which then ends the process, even from another thread.
 */
const { evaluate } = Interpreter.prototype
Interpreter.prototype.evaluate = function (...args: Parameters<typeof evaluate>) {
  const made = evaluateStrip(this, ...args) ?? evaluate.apply(this, args)
  const { value } = made
  if (typeof value === 'string' && value.length > MAX_RENDERED_CHARACTERS)
    throw new RangeError(`a text of ${value.length} characters`)
  if (Array.isArray(value) && value.length > MAX_ITEMS) throw new RangeError(`a list of ${value.length} items`)
  return made
}

/** Jinja's own function, bounded: the library's makes the whole list first. */
function range(from: number, to?: number, step = 1): number[] {
  const [start, stop] = to === undefined ? [0, from] : [from, to]
  const count = Math.max(0, Math.ceil((stop - start) / step))
  if (step === 0 || !(count <= MAX_ITEMS)) throw new RangeError(`a range of ${count} items`)
  return Array.from({ length: count }, (_, at) => start + at * step)
}

/** The date of every prompt, by its codes: the one that Llama's templates fall back to. */
const TODAY: ReadonlyMap<string, string> = new Map([
  ['%Y', '2024'],
  ['%m', '07'],
  ['%B', 'July'],
  ['%b', 'Jul'],
  ['%d', '26'],
  ['%H', '00'],
  ['%M', '00'],
  ['%%', '%'],
])

/** The library's function writes this machine's date, in its time zone and language: prompts would differ among peers. */
const strftimeNow = (format: string) => format.replace(/%./g, code => TODAY.get(code) ?? code)

/** They replace the library's own. */
const globals: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['range', range],
  ['strftime_now', strftimeNow],
])

const { set } = Environment.prototype
Environment.prototype.set = function (...[name, value]: Parameters<typeof set>) {
  return set.call(this, name, globals.get(name) ?? value)
}

/**
 * A model's chat template, by Hugging Face's Jinja for JavaScript, with what transformers gives to a template. In rare cases it differs from Jinja for
 * Python. Among others, it takes an undefined value as equal to none, writes none as nothing, true as `true` and lists as JSON, gives `%` the sign of
 * its left operand, counts UTF-16 units in `length` and indices, and splits at JavaScript's white space.
 */
export type ChatTemplate = {
  /**
   * The conversation as text, up to the assistant's answer. Thinking is turned off for models that have it.
   *
   * @throws {ModelFileError} if the template fails, does not end, or writes too much text.
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
      const inputs = { messages, tools: null, documents: null, add_generation_prompt: true, enable_thinking: false }
      const context = { ...variables, ...inputs }
      const rendered = bounded('failed', () => template.render(context))
      if (rendered.length <= MAX_RENDERED_CHARACTERS) return rendered
      throw refuse(`made ${rendered.length} characters of a conversation`)
    },
  }
}

/** One line of a template's error, which may be any value of any length. */
function messageOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause)
  return text.split('\n')[0]?.slice(0, 200) ?? ''
}
