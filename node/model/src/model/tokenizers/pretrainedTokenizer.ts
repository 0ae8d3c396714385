import { createHash } from 'node:crypto'
import { Tokenizer as Library } from '@huggingface/tokenizers'
import { ModelFileError, ModelInputError } from '../modelErrors.ts'
import { assignedText } from './assignedText.ts'
import { bytesOfChars } from './byteAlphabet.ts'
import { type ChatMessage, type ChatTemplate, chatTemplate } from './chatTemplate.ts'
import { type ControlTokens, controlTokens } from './controlTokens.ts'
import { prefixTokens } from './prefixTokens.ts'
import { asInRust } from './preTokenizerRules.ts'
import { readTokenizerFiles, type TokenizerFiles } from './tokenizerFiles.ts'
import { OutOfTimeError, withinTime } from './withinTime.ts'

/** Encoding takes milliseconds; only a pattern with endless backtracking takes this long. */
const ENCODE_MS = 2_000

/** A text that every byte-level tokenizer gives back. */
const PROBE = 'a b1\n'

/** Names the rules of encoding that no file of a tokenizer gives; another name gives all tokenizers another hash. */
const RULES = 'waggle/tokenizer/3'

/** Text of a token outside the vocabulary: models have more outputs than their tokenizers have tokens. */
const UNKNOWN = new TextEncoder().encode('\ufffd')

/**
 * The tokenizer of a published model, from its own files, by Hugging Face's libraries.
 *
 * Text never turns into a control token: those are the special ones and all other added ones of two or more characters, such
 * as `<think>`. They come from the chat template alone. Added tokens of one character are spelling: deepseek-coder's vocabulary lacks
 * some bytes and adds them so.
 */
export class PretrainedTokenizer {
  /** Ids that end a completion; the first is the tokenizer's own end of a turn. */
  readonly endTokens: readonly number[]
  /** Id of the control token `</think>`, after which a reasoning model answers; null if there is none. */
  readonly thoughtsEnd: number | null
  /** sha-256 of everything that determines encoding, decoding and the chat template. */
  readonly hash: `0x${string}`
  readonly #files: TokenizerFiles
  readonly #size: number
  readonly #library: Library
  readonly #bytes: ReadonlyMap<number, Uint8Array>
  readonly #special: ReadonlySet<number>
  readonly #forbidden: ReadonlySet<number>
  readonly #control: ControlTokens
  readonly #template: ChatTemplate | null

  private constructor(files: TokenizerFiles) {
    const control = files.added.filter(({ special, content }) => special || [...content].length > 1)
    this.#files = files
    this.#size = [...files.tokens.keys()].reduce((most, id) => Math.max(most, id + 1), 0)
    this.#control = controlTokens(control)
    this.#forbidden = new Set(control.map(({ id }) => id))
    this.#special = new Set(files.added.filter(({ special }) => special).map(({ id }) => id))
    this.#library = withinTime(60_000, () => openLibrary(files, this.#forbidden))
    const added = new Set(files.added.map(({ id }) => id))
    this.#bytes = new Map([...files.tokens].map(([id, text]) => [id, bytesOf(files.path, text, added.has(id))]))
    this.endTokens = endTokensOf(files)
    this.thoughtsEnd = control.find(({ content }) => content === '</think>')?.id ?? null
    this.#template = files.template && chatTemplate(files.template.path, files.template.text, templateVariables(files))
    this.hash = hashOf(files, this.endTokens)
  }

  /**
   * Reads the tokenizer of a model's folder, and tests it and its chat template once: the library ignores unknown rules.
   *
   * @throws {ModelFileError} naming the file and the field.
   */
  static async read(folder: string): Promise<PretrainedTokenizer> {
    const tokenizer = new PretrainedTokenizer(await readTokenizerFiles(folder))
    const back = tokenizer.decode(tokenizer.encode(PROBE))
    if (back.trimStart() !== PROBE)
      throw new ModelFileError(
        tokenizer.#files.path,
        'content',
        `gives ${JSON.stringify(back.slice(0, 40))} for ${JSON.stringify(PROBE)}`,
      )
    if (tokenizer.#template) tokenizer.chatPrompt([{ role: 'user', content: 'x' }])
    return tokenizer
  }

  /** One more than the largest id. */
  get vocabSize(): number {
    return this.#size
  }

  /** @throws {ModelInputError} if there is no such special token. */
  special(name: string): number {
    const found = this.#files.added.find(token => token.special && token.content === name)
    if (found) return found.id
    throw new ModelInputError(`the tokenizer has no special token ${name}`, {
      hint: 'Use the tokenizer that belongs to the model.',
    })
  }

  /**
   * Token ids of a text, none of them a control token. What {@link assignedText} does not keep becomes U+FFFD. A character whose bytes the vocabulary
   * lacks has no token: SmolLM2's lacks six control characters.
   */
  encode(text: string): Int32Array {
    return this.#encodeParts([text])
  }

  /**
   * Ids that the tokenizer puts before a text to be continued, which `encode` leaves out; chat templates write their own.
   *
   * @throws {ModelFileError} if it asks for a token that it does not have.
   */
  get prefix(): readonly number[] {
    return prefixTokens(this.#files)
  }

  /** Text of token ids; special tokens are left out unless `special` is 'keep', and bytes that are not UTF-8 become U+FFFD. */
  decode(ids: ArrayLike<number>, special: 'drop' | 'keep' = 'drop'): string {
    const parts: Uint8Array[] = []
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number
      if (special === 'keep' || !this.#special.has(id)) parts.push(this.#bytes.get(id) ?? UNKNOWN)
    }
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(parts))
  }

  /**
   * Token ids of a conversation by the model's chat template, up to where the assistant's answer begins: those of transformers'
   * `apply_chat_template`, but for control tokens named in a message, which stay text here, for what {@link assignedText} does not keep, and for the
   * few expressions that {@link ChatTemplate} evaluates otherwise.
   *
   * @throws {ModelFileError} if the model has no chat template, or it fails.
   */
  chatPrompt(messages: readonly ChatMessage[]): Int32Array {
    if (!this.#template)
      throw new ModelFileError(this.#files.path, 'chat_template', 'the model has none', {
        hint: 'Use an instruct model: its tokenizer_config.json or chat_template.jinja contains one.',
      })
    const broken = messages.map(({ role, content }) => ({ role, content: this.#control.breakUp(content) }))
    return this.#encodeParts(this.#control.split(this.#template.render(broken)))
  }

  #encodeParts(parts: readonly (number | string)[]): Int32Array {
    const encode = () => parts.flatMap(part => (typeof part === 'number' ? part : this.#plain(part)))
    try {
      return Int32Array.from(withinTime(ENCODE_MS, encode))
    } catch (cause) {
      if (cause instanceof ModelFileError) throw cause
      const problem =
        cause instanceof OutOfTimeError
          ? `does not split a text within ${ENCODE_MS} ms`
          : `does not split a text: ${lineOf(cause)}`
      throw new ModelFileError(this.#files.path, 'pre_tokenizer', problem, { cause })
    }
  }

  #plain(text: string): number[] {
    const { ids } = this.#library.encode(assignedText(text), { add_special_tokens: false })
    for (const id of ids)
      if (id === undefined || this.#forbidden.has(id))
        throw new ModelFileError(
          this.#files.path,
          'model',
          `a text gives ${id === undefined ? 'no token' : `control token ${id}`}`,
        )
    return ids
  }
}

/** The library's tokenizer without control tokens and without added tokens around a text: this class handles both. */
function openLibrary({ path, json }: TokenizerFiles, forbidden: ReadonlySet<number>): Library {
  try {
    const added_tokens = json.added_tokens.filter(({ id }) => !forbidden.has(id))
    const rules = { normalizer: json.normalizer ?? null, pre_tokenizer: asInRust(json.pre_tokenizer) }
    return new Library({ ...json, ...rules, added_tokens, post_processor: null }, {})
  } catch (cause) {
    throw new ModelFileError(path, 'content', `is not read: ${lineOf(cause)}`, { cause })
  }
}

/** One line of an error of the library, which quotes patterns of any length. */
function lineOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause)
  return text.split('\n')[0]?.slice(0, 200) ?? ''
}

function bytesOf(path: string, text: string, isAdded: boolean): Uint8Array {
  const bytes = bytesOfChars(text) ?? (isAdded ? new TextEncoder().encode(text) : undefined)
  if (bytes) return bytes
  throw new ModelFileError(path, `model.vocab.${text.slice(0, 40)}`, 'is outside the byte alphabet')
}

function endTokensOf({ path, added, specials, endIds, tokens }: TokenizerFiles): number[] {
  const { eos } = specials
  const own = eos === undefined ? undefined : added.find(({ content }) => content === eos)?.id
  if (eos !== undefined && own === undefined)
    throw new ModelFileError(path, 'eos_token', `${eos.slice(0, 40)} is not an added token`)
  const unknown = endIds.find(id => !tokens.has(id))
  if (unknown !== undefined) throw new ModelFileError(path, 'eos_token_id', `${unknown} is not a token`)
  const all = [...new Set([...(own === undefined ? [] : [own]), ...endIds])]
  if (all.length > 0) return all
  throw new ModelFileError(path, 'eos_token', 'no file names the token that ends an answer', {
    hint: 'Add eos_token to tokenizer_config.json, or eos_token_id to generation_config.json.',
  })
}

function templateVariables({ specials }: TokenizerFiles): Record<string, string> {
  return Object.fromEntries(Object.entries(specials).map(([name, text]) => [`${name}_token`, text]))
}

function hashOf({ content, specials, template }: TokenizerFiles, endTokens: readonly number[]): `0x${string}` {
  const part = (text: string) => createHash('sha256').update(text).digest('hex')
  const sorted = Object.entries(specials).sort(([a], [b]) => (a < b ? -1 : 1))
  const all = [RULES, part(content), part(template?.text ?? ''), JSON.stringify([sorted, endTokens])]
  return `0x${part(all.join('\n'))}`
}
