import { expect, test } from 'vitest'
import { boundaries } from './boundaries.ts'
import { decoders } from './decoders.ts'
import { fuzz } from './fuzz.ts'

const INPUTS = 200_000

test.each(Object.entries(decoders))('%s takes 200,000 hostile inputs without an error', async (name, decoder) => {
  expect(await fuzz(name, decoder, INPUTS)).toBeLessThan(INPUTS)
})

test.each(Object.entries(boundaries))('%s takes 20,000 hostile answers without an error', async (name, boundary) => {
  expect(await fuzz(name, boundary, 20_000)).toBeLessThan(20_000)
})
