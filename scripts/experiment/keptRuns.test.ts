import { expect, test } from 'vitest'
import { loadEnvironments } from '../../node/src/environments/builtIn.ts'
import { startOf } from './keptRuns.ts'

test('runs of other rules or another judge have another name', async () => {
  const { starter } = await loadEnvironments()
  const { spec } = starter
  const start = await startOf(spec)
  expect(start).toMatch(/^[0-9a-f]{8}$/)
  expect(await startOf(structuredClone(spec))).toBe(start)
  const others = [
    { ...spec, version: spec.version + 1 },
    { ...spec, training: { ...spec.training, learningRate: 1 } },
    { ...spec, judge: { kind: 'backTranslation', weightsHash: `0x${'00'.repeat(32)}` } },
  ]
  for (const other of others) expect(await startOf(other)).not.toBe(start)
})
