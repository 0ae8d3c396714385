import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadEnvironments } from './loadEnvironment.ts'
import { openPolicy } from './openModels.ts'

test('an adapter that was kept is gone on with, also where nobody asks for one any more', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waggle-adapter-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const { starter } = await loadEnvironments()
  const lora = { rank: 2, alpha: 4, targets: ['q_proj'], rankStabilized: false }
  const worker = { crashed: () => {} }
  const trained = await openPolicy(starter, folder, { ...worker, adapter: { lora, base: 'int8' } })
  const { weightsHash } = await trained.save(folder)
  await trained.close()
  const measured = await openPolicy(starter, folder, worker)
  expect(await measured.weightsHash()).toBe(weightsHash)
  await measured.close()
})
