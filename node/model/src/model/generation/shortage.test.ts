import { expect, test } from 'vitest'
import { SessionMemoryError } from '#engine/engineError.ts'
import { createSession } from '#engine/session.ts'
import { tinyConfig, tinyWeights } from '../decoder/tinyDecoder.ts'
import { createFixedSession } from '../liveSession.ts'
import { bakedParts } from '../quantization/frozenParts.ts'
import type { StreamedToken } from './completion.ts'
import { generatorOn } from './generate.ts'
import { buildGenerationModel } from './generationGraph.ts'

const model = buildGenerationModel(tinyConfig, bakedParts(tinyConfig, tinyWeights()), 'cpu')
const request = { prompts: [Int32Array.of(5, 9)], temperature: 1, seed: 'short', maxNewTokens: 6, stopToken: -1 }

/** A generator whose memory holds some rows in a step, and the rows of each run. */
async function generatorWith(fits: (rows: number, run: number) => boolean) {
  const session = await createSession(model, { threads: 1 })
  const rows: number[] = []
  const run: typeof session.run = async (feeds, outputs) => {
    rows.push(feeds.tokens?.shape[0] as number)
    if (!fits(rows.at(-1) as number, rows.length))
      throw new SessionMemoryError('Failed to allocate memory', { hint: 'Free some memory.' })
    return session.run(feeds, outputs)
  }
  return { rows, generator: generatorOn(tinyConfig, createFixedSession({ ...session, run })) }
}

test('a step that is too large starts again with half the rows, tells each token once, and later calls begin there', async () => {
  const whole = await generatorWith(() => true)
  // Two steps of 8 rows fit, and no further one.
  const { generator, rows } = await generatorWith((count, run) => count <= 4 || run <= 3)
  const told: StreamedToken[] = []
  const ask = () => generator.generate({ ...request, samplesPerPrompt: 8, onToken: token => told.push(token) })
  const completions = await ask()
  expect(completions).toEqual(await whole.generator.generate({ ...request, samplesPerPrompt: 8 }))
  expect(rows.slice(0, 6)).toEqual([1, 8, 8, 8, 1, 4])
  for (const [sample, { tokens }] of completions.entries())
    expect(told.filter(one => one.sample === sample).map(({ token }) => token)).toEqual([...tokens])
  const before = rows.length
  expect(await ask()).toEqual(completions)
  expect(Math.max(...rows.slice(before))).toBe(4)
  await generator.dispose()
  await whole.generator.dispose()
})

test('the rows of a later call are as many as before a shortage, once enough calls succeeded', async () => {
  const { generator, rows } = await generatorWith((count, run) => count < 8 || run > 2)
  const short = { ...request, samplesPerPrompt: 8, maxNewTokens: 2 }
  for (let call = 0; call < 17; call++) await generator.generate(short)
  expect(rows.slice(0, 4)).toEqual([1, 8, 1, 4])
  expect(rows.at(-1)).toBe(8)
  await generator.dispose()
})

test('a prompt of which not one row fits is refused as a lack of memory', async () => {
  const { generator, rows } = await generatorWith(() => false)
  await expect(generator.generate({ ...request, samplesPerPrompt: 4 })).rejects.toMatchObject({ code: 'ENGINE_MEMORY' })
  expect(rows).toEqual([1, 1, 1])
  await generator.dispose()
})
