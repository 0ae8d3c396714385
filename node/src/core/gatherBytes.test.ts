import { expect, test } from 'vitest'
import { gatherBytes } from './gatherBytes.ts'

test('a stream is read to its end or to its limit, and no further', async () => {
  let sent = 0
  async function* parts() {
    for (; sent < 5; sent++) yield Uint8Array.of(sent, sent)
  }
  expect(await gatherBytes(parts(), 10)).toEqual(Buffer.of(0, 0, 1, 1, 2, 2, 3, 3, 4, 4))
  sent = 0
  expect(await gatherBytes(parts(), 5)).toBeNull()
  expect(sent).toBe(2)
})
