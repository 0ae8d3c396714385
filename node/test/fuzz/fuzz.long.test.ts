import { expect, test } from 'vitest'
import { decoders } from './decoders.ts'
import { fuzz } from './fuzz.ts'

const INPUTS = 200_000

test.each(Object.entries(decoders))('%s takes 200,000 hostile inputs without an error', async (name, decoder) => {
  expect(await fuzz(name, decoder, INPUTS)).toBeLessThan(INPUTS)
})
