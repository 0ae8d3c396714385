import { expect, test } from 'vitest'
import { tinyConfig, tinyWeights } from '../decoder/tinyDecoder.ts'
import { positionLogits } from './positionLogits.ts'

test('a sequence whose attention no memory holds is refused before any is asked for', async () => {
  const model = { config: { ...tinyConfig, maxPositions: 1 << 20 }, weights: tinyWeights() }
  const first = positionLogits(model, new Int32Array(1 << 20)).next()
  await expect(first).rejects.toThrow(
    /all positions of 1048576 tokens at once take 6\d{4}\.\d GB where .* are available/,
  )
})
