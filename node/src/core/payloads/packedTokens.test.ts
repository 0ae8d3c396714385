import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packLogprobs, packTokens, unpackSequence, unpackTokens } from './packedTokens.ts'

const token = fc.integer({ min: 0, max: 0xffff })

test('tokens and log-probabilities come back as they were packed', () => {
  fc.assert(
    fc.property(fc.array(token, { minLength: 1 }), fc.array(token, { minLength: 1 }), (prompt, completion) => {
      const logprobs = Float32Array.from(completion, id => -id / 7)
      const packed = {
        promptTokens: packTokens(Int32Array.from(prompt)),
        completionTokens: packTokens(Int32Array.from(completion)),
        logprobs: packLogprobs(logprobs),
      }
      expect(unpackSequence(packed)).toEqual({
        promptTokens: Int32Array.from(prompt),
        completionTokens: Int32Array.from(completion),
        logprobs,
      })
    }),
  )
})

test('a token that does not fit is refused', () => {
  expect(() => packTokens(Int32Array.of(65_536))).toThrow(RangeError)
  expect(() => packTokens(Int32Array.of(-1))).toThrow(RangeError)
})

test('reads bytes that begin anywhere in a buffer', () => {
  const buffer = new Uint8Array([9, 1, 0, 2, 1])
  expect([...unpackTokens(buffer.subarray(1))]).toEqual([1, 258])
})
