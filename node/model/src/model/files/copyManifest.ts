import { createHash } from 'node:crypto'
import { z } from 'zod'
import { writeFileAtomic } from '#base/writeFileAtomic.ts'
import { fingerprintSchema } from './fileFingerprint.ts'
import { readJsonFile } from './jsonFile.ts'

/** Raised when the tensors of a copy change, so that old ones are made again. */
export const COPY_FORMAT = 3

const manifestSchema = z.object({
  format: z.literal(COPY_FORMAT),
  /** Hash of the model's tensors and their places in its files. */
  layout: z.string(),
  sources: z.array(fingerprintSchema),
  data: fingerprintSchema,
  tensors: z.array(
    z.object({
      name: z.string(),
      dtype: z.enum(['i8', 'u8', 'f32']),
      shape: z.array(z.int().min(1)),
      offset: z.int().min(0),
    }),
  ),
})

/** A quantised copy: its format and source. */
export type CopyManifest = z.infer<typeof manifestSchema>
export type CopyTensor = CopyManifest['tensors'][number]

const ELEMENT_BYTES = { i8: 1, u8: 1, f32: 4 } as const

/** Bytes of a copy whose tensors are these. */
function bytesOf(tensors: readonly CopyTensor[]): number {
  return tensors.reduce((most, { dtype, shape, offset }) => {
    const elements = shape.reduce((product, length) => product * length, 1)
    return Math.max(most, offset + ELEMENT_BYTES[dtype] * elements)
  }, 0)
}

/** The manifest; undefined if it is missing, damaged or of another format, or its tensors do not fill the copy. */
export async function readCopyManifest(path: string): Promise<CopyManifest | undefined> {
  const content = (await readJsonFile(path, 8 << 20).catch(() => undefined)) as
    | { readonly sha256?: unknown; readonly manifest?: unknown }
    | null
    | undefined
  const parsed = manifestSchema.safeParse(content?.manifest)
  if (!parsed.success || content?.sha256 !== sha256(JSON.stringify(parsed.data))) return undefined
  return bytesOf(parsed.data.tensors) === parsed.data.data.bytes ? parsed.data : undefined
}

export async function writeCopyManifest(path: string, manifest: CopyManifest): Promise<void> {
  const content = JSON.stringify({ sha256: sha256(JSON.stringify(manifest)), manifest })
  await writeFileAtomic(path, Buffer.from(content))
}

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
