import { withRegularFile } from '../files/regularFile.ts'
import { ModelFileError } from '../modelErrors.ts'
import { surveyHeader } from './surveyHeader.ts'
import { type TensorType, tensorTypes } from './tensorTypes.ts'

/** A tensor in a GGUF file. */
export interface GgufTensor {
  readonly name: string
  /** Row-major, outermost first: the file has it the other way round. */
  readonly shape: readonly number[]
  readonly type: TensorType
  /** First byte, from the start of the file. */
  readonly offset: number
}

/** Content of a GGUF file, checked as far as possible without knowing the model. */
export interface GgufFile {
  readonly path: string
  /** 64-bit whole numbers as numbers. */
  readonly metadata: Readonly<Record<string, unknown>>
  readonly tensors: ReadonlyMap<string, GgufTensor>
  /** State of the file when it was read; see `withRegularFile`. */
  readonly state: string
}

const MAX_ALIGNMENT = 1 << 16

/**
 * Reads the metadata of a GGUF file (version 2 or 3) and the places of its tensors, but not the tensors.
 *
 * Tensors must follow each other, aligned and without other gaps, and lie inside the file, as llama.cpp requires.
 *
 * @throws {ModelFileError} naming the file and the field or tensor.
 * @see https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */
export async function readGguf(path: string): Promise<GgufFile> {
  return withRegularFile(path, async (file, size, state) => {
    const { end, textBytes } = await surveyHeader(file, path, size)
    return { ...placed(path, size, await parse(path, end, textBytes)), state }
  })
}

function placed(path: string, size: number, header: Awaited<ReturnType<typeof parse>>): Omit<GgufFile, 'state'> {
  const end = header.tensorInfoByteRange[1]
  const metadata = Object.fromEntries(
    Object.entries(header.typedMetadata).map(([key, { value }]) => [key, plain(value)]),
  )
  const alignment = metadata['general.alignment'] ?? 32
  if (typeof alignment !== 'number' || !(alignment <= MAX_ALIGNMENT) || !Number.isInteger(Math.log2(alignment)))
    throw new ModelFileError(path, 'general.alignment', 'is not a power of two, 65536 at most')
  const splits = metadata['split.count'] ?? 1
  if (splits !== 0 && splits !== 1)
    // `llama-gguf-split --merge` leaves the key, as 0
    throw new ModelFileError(path, 'split.count', 'is one of several files of a model', {
      hint: 'Merge them first: llama-gguf-split --merge.',
    })
  const tensors = new Map<string, GgufTensor>()
  const start = Math.ceil(end / alignment) * alignment
  let due = 0
  for (const { name, shape, dtype, offset } of header.tensorInfos) {
    const refuse = (problem: string) => new ModelFileError(path, name.slice(0, 100), problem)
    if (tensors.has(name)) throw refuse('is there twice')
    const type = tensorTypes.get(dtype)
    if (!type) throw refuse(`is of type ${dtype}, which is not supported; ${supported} are`)
    const lengths = shape.map(Number)
    const elements = lengths.reduce((product, length) => product * length, 1)
    if (lengths.length === 0 || !Number.isSafeInteger(elements) || elements === 0)
      throw refuse(`has shape [${lengths.toReversed()}]`)
    if ((lengths[0] as number) % type.blockElements)
      throw refuse(`has rows of ${lengths[0]}, not whole blocks of ${type.blockElements} as ${type.name} asks`)
    if (Number(offset) !== due) throw refuse(`starts at byte ${offset} of the data, not ${due}`)
    const bytes = (elements / type.blockElements) * type.blockBytes
    if (start + due + bytes > size) throw refuse(`ends at byte ${start + due + bytes} of a file of ${size}`)
    tensors.set(name, { name, shape: lengths.toReversed(), type, offset: start + due })
    due += Math.ceil(bytes / alignment) * alignment
  }
  return { path, metadata, tensors }
}

const supported = [...tensorTypes.values()].map(({ name }) => name).join(', ')

/**
 * The library's reading of a header that was surveyed.
 *
 * @throws {ModelFileError} if it did not read all of it: it cuts off a text that ends past what it has loaded.
 */
async function parse(path: string, end: number, textBytes: number) {
  const { gguf } = await import('@huggingface/gguf') // 35 ms, which nothing else needs
  try {
    const header = await gguf(path, { typedMetadata: true, allowLocalFile: true })
    const values = Object.values(header.typedMetadata).flatMap(({ value }) => value as unknown)
    const read = values.reduce(
      (sum: number, value) => sum + (typeof value === 'string' ? Buffer.byteLength(value) : 0),
      0,
    )
    if (header.tensorInfoByteRange[1] !== end || read !== textBytes) throw new RangeError('a text is cut off')
    return header
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message.split('\n')[0]?.slice(0, 200) : 'unknown'
    throw new ModelFileError(path, 'header', `is not read: ${problem?.replace(/\.$/, '')}`, { cause })
  }
}

/** A length or a number of a 64-bit type; one that a double cannot hold exceeds every bound. */
function plain(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}
