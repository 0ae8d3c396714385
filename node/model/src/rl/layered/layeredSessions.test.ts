import ort from 'onnxruntime-node'
import { afterEach, expect, test, vi } from 'vitest'
import { tinyConfig } from '#model/decoder/tinyDecoder.ts'
import { openLayeredSessions } from './layeredSessions.ts'

afterEach(() => vi.restoreAllMocks())

test('a layer whose backward session is refused keeps no forward session, and is opened again at the next use', async () => {
  const { create } = ort.InferenceSession
  let [made, open] = [0, 0]
  vi.spyOn(ort.InferenceSession, 'create').mockImplementation(async (...given: unknown[]) => {
    if (++made === 2) throw new Error('Failed to allocate memory')
    const session = await create.apply(ort.InferenceSession, given as Parameters<typeof create>)
    open++
    const release = session.release.bind(session)
    return Object.assign(session, {
      release: async () => {
        open--
        await release()
      },
    })
  })
  const options = { threads: 1, temperature: 1, kept: 'products', headRows: 64, adapter: undefined } as const
  const sessions = openLayeredSessions(tinyConfig, { ...options, trained: () => true })
  await expect(sessions.layer(0, false)).rejects.toMatchObject({ code: 'ENGINE_MEMORY' })
  expect(open).toBe(0)
  await sessions.layer(0, false)
  expect(open).toBe(2)
  await sessions.dispose()
  expect(open).toBe(0)
})
