import { z } from 'zod'
import { parseJson } from '#base/parseJson.ts'
import { writeFileAtomic } from '#base/writeFileAtomic.ts'
import { readTextFile } from '../files/textFile.ts'
import { ModelFileError } from '../modelErrors.ts'
import { bytesOfChars, byteToChar, charsOfBytes } from './byteAlphabet.ts'
import type { Vocabulary } from './vocabulary.ts'

/** The largest public tokenizers have 12 MB. */
const MAX_FILE_BYTES = 64 * 1024 * 1024

const pieceSchema = z.object({
  type: z.literal('Sequence'),
  pretokenizers: z.tuple([
    z.object({ type: z.literal('Digits'), individual_digits: z.literal(true) }),
    z.object({
      type: z.literal('ByteLevel'),
      add_prefix_space: z.literal(false),
      use_regex: z.literal(true).default(true),
    }),
  ]),
})

const tokenizerSchema = z.object({
  added_tokens: z.array(z.object({ id: z.int().min(0), content: z.string().min(1), special: z.boolean() })),
  normalizer: z.null(),
  pre_tokenizer: pieceSchema,
  decoder: z.object({ type: z.literal('ByteLevel') }),
  model: z.object({
    type: z.literal('BPE').default('BPE'),
    dropout: z.null().default(null),
    continuing_subword_prefix: z.literal('').nullish(),
    end_of_word_suffix: z.literal('').nullish(),
    ignore_merges: z.literal(false).default(false),
    vocab: z.record(z.string(), z.int().min(0)),
    merges: z.array(z.union([z.tuple([z.string(), z.string()]), z.string()])),
  }),
})

type TokenizerJson = z.infer<typeof tokenizerSchema>

/**
 * Reads the vocabulary of a `tokenizer.json`.
 *
 * Accepts only the kind that `writeTokenizerJson` writes (single digits, GPT-2's split, bytes). Any other setting is refused by name: its text would
 * be encoded differently from the model's training data.
 *
 * @throws {ModelFileError} naming the file and the field.
 */
export async function readTokenizerJson(path: string): Promise<Vocabulary> {
  return parseTokenizerJson(await readTextFile(path, MAX_FILE_BYTES), path)
}

/** @throws {ModelFileError} naming `file` and the field. */
export function parseTokenizerJson(text: string, file: string): Vocabulary {
  const json = parseJson(text, (problem, cause) => new ModelFileError(file, 'content', problem, { cause }))
  const parsed = tokenizerSchema.safeParse(json)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new ModelFileError(file, issue?.path.join('.') || 'content', issue?.message ?? 'is not a tokenizer', {
      hint: 'Waggle reads byte-level BPE tokenizers with single digits, as its own starter models have.',
    })
  }
  return vocabularyOf(parsed.data, file)
}

/** Writes in one step: a reader sees the old file or the new one. */
export async function writeTokenizerJson(path: string, vocabulary: Vocabulary): Promise<void> {
  await writeFileAtomic(path, Buffer.from(formatTokenizerJson(vocabulary)))
}

/** The canonical text: the same vocabulary gives the same bytes. */
export function formatTokenizerJson(vocabulary: Vocabulary): string {
  const special = new Map([...vocabulary.specials].map(([name, id]) => [id, name]))
  const textOf = (id: number) => special.get(id) ?? charsOfBytes(vocabulary.tokens[id] as Uint8Array)
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true }
  const json = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [...special]
      .sort(([a], [b]) => a - b)
      .map(([id, content]) => ({
        id,
        content,
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
        special: true,
      })),
    normalizer: null,
    pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'Digits', individual_digits: true }, byteLevel] },
    post_processor: null,
    decoder: byteLevel,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(vocabulary.tokens.map((_, id) => [textOf(id), id])),
      merges: vocabulary.merges.map(([left, right]) => [textOf(left), textOf(right)]),
    },
  }
  return `${JSON.stringify(json, null, 1)}\n`
}

function vocabularyOf(json: TokenizerJson, file: string): Vocabulary {
  const specials = new Map(json.added_tokens.filter(token => token.special).map(token => [token.content, token.id]))
  const plain = json.added_tokens.find(token => !token.special)
  if (plain) throw new ModelFileError(file, 'added_tokens', `${plain.content} is added but not special`)
  const idOf = new Map<string, number>(Object.entries(json.model.vocab))
  for (const [name, id] of specials) {
    if ((idOf.get(name) ?? id) !== id) throw new ModelFileError(file, `added_tokens.${name}`, 'has two ids')
    idOf.set(name, id)
  }
  for (const char of byteToChar)
    if (!idOf.has(char)) throw new ModelFileError(file, 'model.vocab', `lacks byte ${char}`)
  const tokens = tokensById(idOf, specials, file)
  const merges = json.model.merges.map((merge, rank) => {
    const [left, right] = typeof merge === 'string' ? splitMerge(merge) : merge
    const ids = [idOf.get(left), idOf.get(right), idOf.get(left + right)]
    if (ids.some(id => id === undefined || specials.has(left) || specials.has(right)))
      throw new ModelFileError(file, `model.merges.${rank}`, `${left} ${right} is not of the vocabulary`)
    return ids as [number, number, number]
  })
  return { tokens, specials, merges }
}

function splitMerge(merge: string): [string, string] {
  const space = merge.indexOf(' ')
  return [merge.slice(0, space), merge.slice(space + 1)]
}

function tokensById(idOf: Map<string, number>, specials: Map<string, number>, file: string): Uint8Array[] {
  const tokens = new Array<Uint8Array | undefined>(idOf.size).fill(undefined)
  for (const [text, id] of idOf) {
    if (id >= tokens.length) throw new ModelFileError(file, `model.vocab.${text}`, `id ${id} leaves a gap`)
    if (tokens[id] !== undefined) throw new ModelFileError(file, `model.vocab.${text}`, `id ${id} is taken twice`)
    const bytes = specials.has(text) ? new Uint8Array(Buffer.from(text)) : bytesOfChars(text)
    if (bytes === undefined) throw new ModelFileError(file, `model.vocab.${text}`, 'is outside the byte alphabet')
    tokens[id] = bytes
  }
  return tokens as Uint8Array[]
}
