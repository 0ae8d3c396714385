import { type SampledSequence, tokenWidth } from './payloadFields.ts'

/** A sampled sequence as the models hold it. */
export type UnpackedSequence = { promptTokens: Int32Array; completionTokens: Int32Array; logprobs: Float32Array }

/** Little-endian token ids. @param width - bytes a token: 2 for a vocabulary of at most 65,536. */
export function packTokens(tokens: Int32Array, width: 2 | 4 = 2): Uint8Array {
  const bytes = new Uint8Array(tokens.length * width)
  const view = new DataView(bytes.buffer)
  for (const [at, token] of tokens.entries()) {
    if (token < 0 || (width === 2 && token > 0xffff)) throw new RangeError(`token ${token} does not fit ${width} bytes`)
    if (width === 2) view.setUint16(at * 2, token, true)
    else view.setInt32(at * 4, token, true)
  }
  return bytes
}

/** @param width - bytes a token, as {@link tokenWidth} tells. */
export function unpackTokens(bytes: Uint8Array, width: 2 | 4 = 2): Int32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const tokens = new Int32Array(Math.floor(bytes.byteLength / width))
  for (let at = 0; at < tokens.length; at++)
    tokens[at] = width === 2 ? view.getUint16(at * 2, true) : view.getInt32(at * 4, true)
  return tokens
}

export function packLogprobs(logprobs: Float32Array): Uint8Array {
  const bytes = new Uint8Array(logprobs.length * 4)
  const view = new DataView(bytes.buffer)
  for (const [at, value] of logprobs.entries()) view.setFloat32(at * 4, value, true)
  return bytes
}

/** @throws {RangeError} if the lengths do not agree; a decoded payload's always do. */
export function unpackSequence(sequence: SampledSequence): UnpackedSequence {
  const width = tokenWidth(sequence)
  if (width === null) throw new RangeError('a sequence whose lengths do not agree')
  return {
    promptTokens: unpackTokens(sequence.promptTokens, width),
    completionTokens: unpackTokens(sequence.completionTokens, width),
    logprobs: unpackLogprobs(sequence.logprobs),
  }
}

function unpackLogprobs(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const logprobs = new Float32Array(bytes.byteLength / 4)
  for (let at = 0; at < logprobs.length; at++) logprobs[at] = view.getFloat32(at * 4, true)
  return logprobs
}
