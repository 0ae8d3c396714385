import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { formatDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { hashWeights, writeWeights } from '#model/decoder/weights.ts'
import { readBaseHash, readLora, writeLora } from '#model/lora/loraFiles.ts'
import { openAdapterPolicy } from './adapterPolicy.ts'

const lora = { rank: 2, alpha: 4, targets: ['q_proj'], rankStabilized: false }

async function emptyRoot(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'waggle-adapter-policy-'))
  onTestFinished(() => rm(root, { recursive: true }))
  return root
}

/** A base of the tiny shapes, whose weights follow from its name. */
async function baseIn(root: string, name: string): Promise<string> {
  const folder = await mkdtemp(join(root, name))
  await writeFile(join(folder, 'config.json'), JSON.stringify(formatDecoderConfig(tinyConfig)))
  await writeWeights(join(folder, 'model.safetensors'), tinyWeights(tinyConfig, name), 'F32')
  return folder
}

const open = (folder: string, base: string) =>
  openAdapterPolicy(folder, base, { lora, base: 'float32' }, { threads: 1, device: 'cpu', adamW: {} })

async function saveOver(base: string, from: string, to: string): Promise<void> {
  const policy = await open(from, base)
  await policy.save(to)
  await policy.dispose()
}

test('a saved adapter is refused over another base of the same shapes', async () => {
  const root = await emptyRoot()
  const [one, other] = [await baseIn(root, 'one'), await baseIn(root, 'other')]
  const kept = join(root, 'kept')
  await saveOver(one, one, kept)
  await expect(open(kept, other)).rejects.toMatchObject({
    code: 'KEPT_POLICY',
    message: expect.stringContaining(`trained over the weights ${hashWeights(tinyWeights(tinyConfig, 'one'))}`),
    hint: expect.stringContaining('move that folder away'),
  })
  await saveOver(one, kept, kept)
})

test('a saved adapter that does not name its base is continued, and names it from then on', async () => {
  const root = await emptyRoot()
  const base = await baseIn(root, 'one')
  const kept = join(root, 'kept')
  await saveOver(base, base, kept)
  await writeLora(kept, await readLora(kept, tinyConfig), base, 'float32')
  expect(await readBaseHash(kept)).toBeNull()
  await saveOver(base, kept, kept)
  expect(await readBaseHash(kept)).toBe(hashWeights(tinyWeights(tinyConfig, 'one')))
})
