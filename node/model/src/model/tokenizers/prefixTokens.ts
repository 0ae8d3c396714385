import { z } from 'zod'
import { ModelFileError } from '../modelErrors.ts'
import type { TokenizerFiles } from './tokenizerFiles.ts'

const specialPiece = z.object({ SpecialToken: z.object({ id: z.string() }) })
const templateSchema = z.object({
  type: z.literal('TemplateProcessing'),
  single: z.array(z.unknown()),
  special_tokens: z.record(z.string(), z.object({ ids: z.array(z.int()) })),
})
const sequenceSchema = z.object({ type: z.literal('Sequence'), processors: z.array(z.unknown()) })

/**
 * Ids of the tokens that a tokenizer puts before a text that it completes, such as the beginning of a text; mostly none. They are those of the
 * template of its post-processor, or else what `add_bos_token` of its configuration asks for.
 *
 * @throws {ModelFileError} naming the field, if it asks for a token that it does not have.
 */
export function prefixTokens(files: TokenizerFiles): number[] {
  const { path, json, tokens, addsBos, specials } = files
  const ids = templateOf(json.post_processor)
  if (ids) {
    const unknown = ids.find(id => !tokens.has(id))
    if (unknown === undefined) return ids
    throw new ModelFileError(path, 'post_processor', `${unknown} is not a token`)
  }
  if (!addsBos || specials.bos === undefined) return []
  const bos = [...tokens].find(([, text]) => text === specials.bos)?.[0]
  if (bos !== undefined) return [bos]
  throw new ModelFileError(path, 'bos_token', `${specials.bos.slice(0, 40)} is not a token`)
}

/** Ids of the special tokens before a single text; null if there is no template. */
function templateOf(processor: unknown): number[] | null {
  const sequence = sequenceSchema.safeParse(processor)
  const processors = sequence.success ? sequence.data.processors : [processor]
  const template = processors.map(one => templateSchema.safeParse(one).data).find(found => found !== undefined)
  if (!template) return null
  const ids: number[] = []
  for (const piece of template.single) {
    const special = specialPiece.safeParse(piece).data?.SpecialToken.id
    if (special === undefined) return ids
    ids.push(...(template.special_tokens[special]?.ids ?? []))
  }
  return [] // without a text, nothing is before it
}
