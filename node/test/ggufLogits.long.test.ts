import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { importGguf } from '#model/gguf/importGguf.ts'
import { readModel } from '#model/readModel.ts'
import { positionLogits } from '#model/scoring/positionLogits.ts'
import { smolModel } from '../../scripts/experiment/smolModel.ts'

/** Kept, as for the tests of a real server. */
const kept = join(import.meta.dirname, '../../.waggle/real-server')
const model = join(kept, 'SmolLM2-135M-Instruct')

/** Made by scripts/golden/ggufLogits.py. */
type Case = { tokens: number[]; rows: { position: number; ids: number[]; logits: number[] }[] }

const golden = join(import.meta.dirname, '../model/src/model/golden/gguf/smollm2.json')

test('a published model that is imported from a quantised GGUF file has the logits that transformers computes from the same file', async () => {
  const gguf = await smolModel(kept)
  if (!existsSync(model)) await importGguf(gguf, model)
  const imported = await readModel(model)
  let worst = 0
  for (const { tokens, rows } of JSON.parse(readFileSync(golden, 'utf8')) as Case[]) {
    const computed: Float32Array[] = []
    for await (const row of positionLogits(imported, Int32Array.from(tokens))) computed.push(Float32Array.from(row))
    for (const { position, ids, logits } of rows)
      for (const [at, id] of ids.entries())
        worst = Math.max(worst, Math.abs((computed[position]?.[id] ?? Number.NaN) - (logits[at] as number)))
  }
  expect(worst).toBeLessThan(2e-4)
})
