import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { boundaries } from './boundaries.ts'
import { decoders } from './decoders.ts'
import { fuzz } from './fuzz.ts'

const src = join(import.meta.dirname, '../../src')

test('every module that decodes what peers send is fuzzed', () => {
  const calls =
    /\b(decodeCanonical|decodeVersioned|payloadCodec|inflateRawSync|base58btc\.decode|createPublicKey|readUInt32BE)\(/
  const found = globSync('**/*.ts', { cwd: src })
    .filter(file => !file.endsWith('.test.ts'))
    .filter(file => calls.test(readFileSync(join(src, file), 'utf8')))
  const fuzzed = new Set(Object.values(decoders).map(({ module }) => module))
  // What the others decode with.
  const through = ['core/payloads/payloadCodec.ts']
  expect(found.filter(file => !fuzzed.has(file) && !through.includes(file))).toEqual([])
})

test.each(Object.entries(decoders))('%s takes hostile input without an error', async (name, decoder) => {
  for (const seed of decoder.seeds) expect(await decoder.run(seed), 'its valid input').toBe(true)
  expect(await fuzz(name, decoder, 1_000)).toBeLessThan(1_000)
})

test.each(Object.entries(boundaries))(
  '%s: whatever an endpoint or a disk gives back is taken or refused',
  async (name, boundary) => {
    for (const seed of boundary.seeds) expect(await boundary.run(seed), 'what it should be').toBe(true)
    expect(await fuzz(name, boundary, 300)).toBeLessThan(300)
  },
)
