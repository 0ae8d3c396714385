import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { fingerprint } from '#model/files/fileFingerprint.ts'
import { encodeGguf, testGguf } from '#model/gguf/testGguf.ts'
import { openLocalModel } from './modelOptions.ts'

test('a GGUF file is imported again by a version that imports otherwise', async () => {
  const root = await mkdtemp(join(tmpdir(), 'waggle-model-options-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const file = join(root, 'tiny.gguf')
  const config = { ...tinyConfig, vocabSize: 448, hiddenSize: 32 }
  await writeFile(file, encodeGguf(testGguf(config, tinyWeights(config), 'qwen', 'qwen2')))
  const { sha256 } = await fingerprint(file)
  const older = [join(root, 'gguf', sha256), join(root, 'gguf', '1', sha256)]
  for (const folder of older) await mkdir(folder, { recursive: true })
  const folder = await openLocalModel(file, { models: root })
  expect(basename(folder)).toBe(sha256)
  expect(older).not.toContain(folder)
  expect(await readdir(folder)).toContain('model.safetensors')
  expect(await openLocalModel(file, { models: root })).toBe(folder)
})
