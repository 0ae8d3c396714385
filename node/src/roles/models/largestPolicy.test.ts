import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Hex } from '#core/hex.ts'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { allLinear } from '#model/lora/loraConfig.ts'
import { initLora } from '#model/lora/loraFactors.ts'
import { writeModel } from '#model/writeModel.ts'
import { encodePolicy } from '#rl/policy/publishedPolicy.ts'
import { largestPolicy } from './largestPolicy.ts'

const word = (byte: string): Hex => `0x${byte.repeat(32)}`

test('an adapter over a listed base that is larger than the own model is not too large', async () => {
  const solverFolder = await mkdtemp(join(tmpdir(), 'waggle-largest-'))
  onTestFinished(() => rm(solverFolder, { recursive: true, force: true }))
  await writeModel(solverFolder, tinyConfig, tinyWeights())
  const larger = { ...tinyConfig, hiddenSize: 256, intermediateSize: 1024, layers: 8 }
  const adapter = initLora(larger, { rank: 16, alpha: 32, targets: allLinear, rankStabilized: false }, 'larger')
  const parts = encodePolicy({ adapter, base: word('02'), precision: 'float32' })
  const bytes = parts.reduce((sum, part) => sum + part.byteLength, 0)
  expect(await largestPolicy({ solverFolder, spec: { bases: [word('01'), word('02')] } })).toBeGreaterThan(bytes)
  for (const bases of [null, [word('01')]])
    expect(await largestPolicy({ solverFolder, spec: { bases } })).toBeLessThan(bytes)
})
