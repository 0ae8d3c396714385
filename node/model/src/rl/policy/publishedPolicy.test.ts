import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { tinyConfig, tinyWeights } from '#model/decoder/tinyDecoder.ts'
import { hashWeights } from '#model/decoder/weights.ts'
import { initLora } from '#model/lora/loraFactors.ts'
import { ModelFileError } from '#model/modelErrors.ts'
import { decodePolicy, encodePolicy, hashPolicy, type PublishedPolicy } from './publishedPolicy.ts'

const lora = { rank: 4, alpha: 8, targets: ['q_proj', 'down_proj'], rankStabilized: false }
const base = hashWeights(tinyWeights())
const whole: PublishedPolicy = { weights: tinyWeights() }
const adapted: PublishedPolicy = { adapter: initLora(tinyConfig, lora, 'adapter'), base, precision: 'int8' }
const bytesOf = (policy: PublishedPolicy) => Buffer.concat(encodePolicy(policy))

/** The same data behind another header. */
function withHeader(policy: PublishedPolicy, edit: (header: string) => string): Buffer {
  const bytes = bytesOf(policy)
  const end = 8 + Number(bytes.readBigUInt64LE())
  const text = edit(bytes.toString('utf8', 8, end))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(Buffer.byteLength(text)))
  return Buffer.concat([length, Buffer.from(text), bytes.subarray(end)])
}

test.each([whole, adapted])('a policy is what was published, under the hash of its bytes', policy => {
  const bytes = bytesOf(policy)
  // Bytes from the network lie at any offset.
  const moved = new Uint8Array(bytes.length + 1).subarray(1)
  moved.set(bytes)
  // As may those of a Buffer, whose slices are not copies.
  for (const given of [moved, Buffer.from(moved.buffer, 1)]) expect(decodePolicy(given, tinyConfig)).toEqual(policy)
  expect(hashPolicy(policy)).toBe(`0x${createHash('sha256').update(bytes).digest('hex')}`)
})

test('whole weights have the hash of weights, and an adapter another over another base', () => {
  expect(hashPolicy(whole)).toBe(base)
  expect(hashPolicy({ ...adapted, base: `0x${'1'.repeat(64)}` })).not.toBe(hashPolicy(adapted))
})

const nan = tinyWeights()
for (const { data } of nan.values()) data[0] = Number.NaN

test.each<[string, Uint8Array]>([
  ['nothing', new Uint8Array()],
  ['a header longer than the file', Buffer.from(`ffffffffffffff7f${'00'.repeat(64)}`, 'hex')],
  ['no JSON', withHeader(whole, text => text.replace('{', '['))],
  ['cut short', bytesOf(whole).subarray(0, -4)],
  ['longer than its header says', Buffer.concat([bytesOf(whole), Buffer.alloc(4)])],
  ['not finite', bytesOf({ weights: nan })],
  ['a tensor less', bytesOf({ weights: new Map([...tinyWeights()].slice(1)) })],
  ['a tensor more', bytesOf({ weights: tinyWeights().set('more', { shape: [1], data: new Float32Array(1) }) })],
  ['another name', withHeader(whole, text => text.replace('model.norm.weight', 'model.norn.weight'))],
  ['a name twice', withHeader(whole, text => text.replace('{', '{"model.norm.weight":{},'))],
  ['a space more in its header', withHeader(whole, text => `${text}        `)],
  ['numbers of 16 bits', withHeader(whole, text => text.replaceAll('F32', 'BF16'))],
  ['another shape', withHeader(whole, text => text.replace(/"shape":\[(\d+),(\d+)\]/, '"shape":[$2,$1]'))],
  ['a shape that overflows', withHeader(whole, text => text.replace(/"shape":\[\d+/, '"shape":[9007199254740991'))],
  ['an adapter of another rank than it says', withHeader(adapted, text => text.replace('rank\\":4', 'rank\\":5'))],
  ['an adapter of unknown modules', withHeader(adapted, text => text.replace('q_proj\\"', 'x_proj\\"'))],
  ['an adapter with a field more', withHeader(adapted, text => text.replace('{\\"base', '{\\"x\\":1,\\"base'))],
  ['an adapter in another precision', withHeader(adapted, text => text.replace('int8', 'int2'))],
  [
    'whole weights that say they are an adapter',
    withHeader(whole, text => text.replace('"pt"', '"pt","adapter":"{}"')),
  ],
  ['an adapter that does not say so', bytesOf({ weights: initLora(tinyConfig, lora, 'x').factors })],
])('refused as a policy: %s', (_, bytes) => {
  expect(() => decodePolicy(bytes, tinyConfig)).toThrow(ModelFileError)
})
