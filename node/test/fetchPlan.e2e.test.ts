import { expect, test } from 'vitest'
import { fetchLimits } from '#roles/fetch/fetchLimits.ts'
import { fetchScene } from './fetchScene.ts'

test('a server at one byte a second among honest ones loses its own vote and no other', async () => {
  // Slow enough a pace for a loaded machine, and a grace that the test need not wait long for.
  const pace = { graceMs: 2_000, windowMs: 1_000, minBytesPerSecond: 1_000 }
  const { plan, wanted, stop } = await fetchScene(
    { honest: 5, slow: 1, bytes: 60_000 },
    { limits: { ...fetchLimits, parallel: 2, pace } },
  )
  try {
    const { signal } = new AbortController()
    const results = await plan.visit(wanted, signal, async bytes => ({ ok: true, value: bytes.byteLength }))
    for (const { wanted, result } of results)
      if (wanted.isSlow) expect(result).toMatchObject({ ok: false, fault: 'too slow' })
      else expect(result).toEqual({ ok: true, value: 60_000 })
  } finally {
    await stop()
  }
})
