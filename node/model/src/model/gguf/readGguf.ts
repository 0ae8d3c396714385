import { readExactly, withRegularFile } from '../files/regularFile.ts'
import { ModelFileError } from '../modelErrors.ts'
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

/** What a GGUF file says, checked as far as it can be without knowing the model. */
export interface GgufFile {
  readonly path: string
  /** 64-bit whole numbers as numbers. */
  readonly metadata: Readonly<Record<string, unknown>>
  readonly tensors: ReadonlyMap<string, GgufTensor>
}

const HEADER_BYTES = 24
/** The least that a key with its value takes: an empty name, a type and one byte. */
const LEAST_ENTRY_BYTES = 13
/** The least that a tensor's entry takes: an empty name, one length, a type and an offset. */
const LEAST_TENSOR_BYTES = 32
const MAX_ALIGNMENT = 1 << 16

/**
 * Reads what a GGUF file (version 2 or 3) holds, and where, without reading its tensors.
 *
 * Tensors must follow each other without a gap but for their alignment, and lie inside the file, as llama.cpp asks.
 *
 * @throws {ModelFileError} naming the file and the field or tensor.
 * @see https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */
export async function readGguf(path: string): Promise<GgufFile> {
  const size = await checkPrefix(path)
  const header = await parse(path)
  const end = header.tensorInfoByteRange[1]
  if (end > size) throw new ModelFileError(path, 'header', `ends at byte ${end} of a file of ${size}`)
  const metadata = Object.fromEntries(
    Object.entries(header.typedMetadata).map(([key, { value }]) => [key, plain(value)]),
  )
  const alignment = metadata['general.alignment'] ?? 32
  if (typeof alignment !== 'number' || !(alignment <= MAX_ALIGNMENT) || !Number.isInteger(Math.log2(alignment)))
    throw new ModelFileError(path, 'general.alignment', 'is not a power of two, 65536 at most')
  const splits = metadata['split.count'] ?? 1
  if (splits !== 1)
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

const NOT_GGUF = 'Name a GGUF file; if this should be one, download it again.'

/** Whether the file can hold as many entries as it claims: the library would make them all. @returns its size. */
async function checkPrefix(path: string): Promise<number> {
  return withRegularFile(path, async (file, size) => {
    if (size < HEADER_BYTES)
      throw new ModelFileError(path, 'header', `a file of ${size} bytes has none`, { hint: NOT_GGUF })
    const prefix = await readExactly(file, path, 'header', 0, Buffer.alloc(HEADER_BYTES))
    if (prefix.toString('latin1', 0, 4) !== 'GGUF')
      throw new ModelFileError(path, 'magic', 'is not GGUF, so this is another kind of file', { hint: NOT_GGUF })
    const version = prefix.readUInt32LE(4)
    if (version !== 2 && version !== 3)
      throw new ModelFileError(path, 'version', `${version} is not supported; little-endian 2 and 3 are`)
    const [tensors, entries] = [prefix.readBigUInt64LE(8), prefix.readBigUInt64LE(16)]
    if (tensors > size / LEAST_TENSOR_BYTES)
      throw new ModelFileError(path, 'tensor_count', `${tensors} do not fit a file of ${size} bytes`)
    if (entries > size / LEAST_ENTRY_BYTES)
      throw new ModelFileError(path, 'metadata_kv_count', `${entries} do not fit a file of ${size} bytes`)
    return size
  })
}

async function parse(path: string) {
  const { gguf, serializeGgufMetadata } = await import('@huggingface/gguf') // 35 ms, which nothing else needs
  try {
    const header = await gguf(path, { typedMetadata: true, allowLocalFile: true })
    // The library cuts a text off where what it has read ends, says a repeated key once, and mends text that is not UTF-8.
    const said = serializeGgufMetadata(header.typedMetadata, { alignment: 1 }).length
    if (said !== header.tensorInfoByteRange[0]) throw new RangeError('its strings are truncated, repeated or not UTF-8')
    return header
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message.split('\n')[0]?.slice(0, 200) : 'unknown'
    throw new ModelFileError(path, 'header', `is not read: ${problem?.replace(/\.$/, '')}`, { cause })
  }
}

/** A length or a number of a 64-bit type; one that a double does not hold is past every bound. */
function plain(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}
