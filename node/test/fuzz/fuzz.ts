import { randomStream } from '#base/random.ts'
import type { Decoder } from './decoder.ts'
import { mutate } from './mutate.ts'

/**
 * Gives a decoder `count` hostile inputs, the same ones for the same name.
 *
 * @returns how many it accepted. An error names the input, so that it can be kept as a test.
 */
export async function fuzz(name: string, { seeds, run }: Decoder, count: number): Promise<number> {
  const random = randomStream(`fuzz/${name}`, 'waggle')
  let accepted = 0
  for (let n = 0; n < count; n += 1) {
    const bytes = mutate(seeds[random.integer(seeds.length)] as Uint8Array, random)
    try {
      if (await run(bytes)) accepted += 1
    } catch (cause) {
      const input = Buffer.from(bytes).toString('base64').slice(0, 4_000)
      throw new Error(`${name}: input ${n} of ${bytes.byteLength} bytes, base64 ${input}`, { cause })
    }
  }
  return accepted
}
