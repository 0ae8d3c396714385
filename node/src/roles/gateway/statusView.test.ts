import { hexToBytes, keccak256 } from 'viem'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { decodeCanonical } from '#core/canonical.ts'
import { loadEnvironments } from '#environments/builtIn.ts'
import { specificationView } from './statusView.ts'

test('a page gets the very bytes that the chain has the hash of, and how many leaves are drawn', async () => {
  const { starter } = await loadEnvironments()
  const { hash, specification, places } = specificationView(starter)
  expect(keccak256(specification)).toBe(hash)
  const drawn = z.object({ sampledLeaves: z.literal(places) })
  expect(decodeCanonical(hexToBytes(specification), drawn, specification.length)).toEqual({ sampledLeaves: places })
})
