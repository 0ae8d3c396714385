import { isUtf8 } from 'node:buffer'
import { endianness } from 'node:os'
import { z } from 'zod'
import { parseJson } from '#base/parseJson.ts'
import { ModelFileError } from '../modelErrors.ts'

/** A tensor's place in the data part of a file. */
interface SafetensorsEntry {
  readonly name: string
  readonly dtype: 'F32' | 'F16' | 'BF16'
  readonly shape: readonly number[]
  readonly elements: number
  /** First byte, from the start of the data part. */
  readonly begin: number
}

const ELEMENT_BYTES = { F32: 4, F16: 2, BF16: 2 } as const

const entrySchema = z.object({
  dtype: z.enum(['F32', 'F16', 'BF16'], 'is of a type other than F32, F16 and BF16'),
  shape: z.array(z.int('has a length that is not an integer').min(0)).max(8),
  data_offsets: z.tuple([z.int().min(0), z.int().min(0)]),
})

const METADATA = '__metadata__'
const metadataSchema = z.record(z.string(), z.string()).default({})

/** @throws {ModelFileError} naming `file`, if the header's metadata is not text by name. */
export function parseSafetensorsMetadata(text: Uint8Array, file: string): Readonly<Record<string, string>> {
  const parsed = metadataSchema.safeParse((parseObject(text, file) as Record<string, unknown>)[METADATA])
  if (parsed.success) return parsed.data
  throw new ModelFileError(file, METADATA, 'is not text by name')
}

/**
 * Checks the header of a safetensors file: every tensor's bytes are as many as its shape asks for, and together they are
 * the whole data part, without a gap or an overlap (a file that hides bytes is refused, as Hugging Face's reader does).
 *
 * @param text - the header's bytes.
 * @param dataBytes - bytes that really follow the header.
 * @throws {ModelFileError} naming `file` and the tensor.
 */
export function parseSafetensorsHeader(text: Uint8Array, dataBytes: number, file: string): SafetensorsEntry[] {
  if (endianness() !== 'LE') throw new ModelFileError(file, 'header', 'is little-endian and this machine is not')
  const entries = Object.entries(parseObject(text, file))
    .filter(([name]) => name !== METADATA)
    .map(([name, value]) => parseEntry(name, value, file))
    .sort((a, b) => a.begin - b.begin || a.elements - b.elements)
  let end = 0
  for (const entry of entries) {
    if (entry.begin !== end) throw new ModelFileError(file, entry.name, `starts at byte ${entry.begin}, not ${end}`)
    end += entry.elements * ELEMENT_BYTES[entry.dtype]
  }
  if (end !== dataBytes)
    throw new ModelFileError(file, 'data', `has ${dataBytes} bytes where the header says ${end}`, {
      hint: 'The file is cut short or not a model file; download it again.',
    })
  return entries
}

function parseObject(text: Uint8Array, file: string): object {
  if (!isUtf8(text)) throw new ModelFileError(file, 'header', 'is not UTF-8')
  const json = parseJson(
    new TextDecoder().decode(text),
    (problem, cause) => new ModelFileError(file, 'header', problem, { cause }),
  )
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new ModelFileError(file, 'header', 'is not a JSON object')
  return json
}

function parseEntry(name: string, value: unknown, file: string): SafetensorsEntry {
  const parsed = entrySchema.safeParse(value)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new ModelFileError(file, name, `${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is malformed'}`.trim())
  }
  const { dtype, shape, data_offsets } = parsed.data
  const [begin, end] = data_offsets
  const elements = shape.reduce((product, length) => product * length, 1)
  if (!Number.isSafeInteger(elements) || elements * ELEMENT_BYTES[dtype] !== end - begin)
    throw new ModelFileError(file, name, `shape [${shape}] of ${dtype} does not fill bytes ${begin} to ${end}`)
  return { name, dtype, shape, elements, begin }
}
