import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { ModelFileError } from '../modelErrors.ts'
import { readModel } from '../readModel.ts'

const folder = join(mkdtempSync(join(tmpdir(), 'waggle-hostile-')), 'model')
const good = join(import.meta.dirname, '../golden/decoders/qwen3-sharded')
cpSync(good, folder, { recursive: true })
afterAll(() => rmSync(join(folder, '..'), { recursive: true }))

const files = [
  'config.json',
  'generation_config.json',
  'model.safetensors.index.json',
  'model-00001-of-00004.safetensors',
  'model-00003-of-00004.safetensors',
]

/** With any content of one file, the model is read or its file is refused by name; nothing else happens. */
async function expectRefusalOrModel(file: string, content: Uint8Array): Promise<void> {
  const path = join(folder, file)
  writeFileSync(path, content)
  const outcome = await readModel(folder).catch(error => error)
  writeFileSync(path, readFileSync(join(good, file)))
  if (outcome instanceof Error && !(outcome instanceof ModelFileError)) throw outcome
  if (outcome instanceof ModelFileError) expect(outcome.file).toContain(folder)
  else expect(outcome.weights.size).toBeGreaterThan(30) // 33, or 32 if config.json came to say that the head is tied
}

test('any byte of any file may be another one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...files), fc.nat(), fc.nat(255), async (file, at, byte) => {
      const content = readFileSync(join(good, file))
      content[at % Math.min(content.length, 3000)] = byte // what follows is numbers
      await expectRefusalOrModel(file, content)
    }),
    { numRuns: 150 },
  )
})

test('any file may end anywhere, or hold anything', async () => {
  const contents = fc.oneof(
    fc.nat().map(at => (whole: Buffer) => whole.subarray(0, at % whole.length)),
    fc.uint8Array({ maxLength: 64 }).map(bytes => () => bytes),
    fc.json().map(text => () => Buffer.from(text)),
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...files), contents, (file, change) =>
      expectRefusalOrModel(file, change(readFileSync(join(good, file)))),
    ),
    { numRuns: 150 },
  )
})

test('any field of config.json may have any value', async () => {
  const config = JSON.parse(readFileSync(join(good, 'config.json'), 'utf8'))
  const values = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(null, true, '', 1e308, -1, 0), fc.jsonValue())
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(config)), values, (field, value) =>
      expectRefusalOrModel('config.json', Buffer.from(JSON.stringify({ ...config, [field]: value }))),
    ),
    { numRuns: 200 },
  )
})

test('JSON nested too deep to be meant is refused like any other', async () => {
  const deep = '['.repeat(500_000)
  await expectRefusalOrModel('config.json', Buffer.from(`${deep}${']'.repeat(500_000)}`))
  await expectRefusalOrModel(
    'model.safetensors.index.json',
    Buffer.from(`{"weight_map":${deep}${']'.repeat(500_000)}}`),
  )
})
