import { availableParallelism } from 'node:os'
import type { Device } from '../../../node/model/src/engine/devices/device.ts'
import type { DecoderConfig } from '../../../node/model/src/model/decoder/decoderConfig.ts'
import { decoderWeightShapes, parameterCount } from '../../../node/model/src/model/decoder/decoderWeights.ts'
import type { Bench } from '../../measure/bench.ts'
import type { Measured } from '../../measure/row.ts'
import { loraStepOperations } from '../trainingShape.ts'
import { type Asked, onCpu, ours, productsOf, shapeOf, stepProductsOf, torch } from './answers.ts'
import { bandwidth, limitOf, peak, torchRate } from './limits.ts'

interface Timed {
  readonly seconds: number
  readonly described?: string
}

interface Decoded {
  readonly tokensPerSec: number
  readonly described?: string
}

/** Questions to Waggle on the GPU. */
export const decode = (rows: number, isSampled = false): Asked => ({
  ...{ what: 'decode', rows },
  ...(isSampled && { isSampled }),
})
export const step: Asked = { what: 'step' }
export const round: Asked = { what: 'round' }

/** A row's figure, and what torch alone reaches on the same GPU where Waggle has no device. */
export interface Compared {
  readonly measure: (bench: Bench, gpu: Device, adapter: string) => Promise<Measured>
  readonly alone?: (bench: Bench) => Promise<string>
}

export function decodeRow(rows: number, isSampled = false): Compared {
  const theirs = (bench: Bench) => {
    const { config, decodeTokens } = shapeOf(bench)
    const asked = { what: 'decode', rows, tokens: decodeTokens, isSampled, config }
    return torch<Decoded>(bench, 'gpu/torchPeer.py', asked)
  }
  const text = ({ tokensPerSec, described }: Decoded) => `${tokensPerSec.toFixed(1)} tokens/s in float16 (${described})`
  return {
    alone: async bench => textOr(await theirs(bench), text),
    async measure(bench, gpu) {
      const precision = await productsOf(bench, gpu)
      const own = await ours<Decoded>(bench, gpu, decode(rows, isSampled))
      const how = isSampled ? 'temperature 1 and top-p 0.95' : 'greedily'
      const conditions = `${precision}, batch ${rows}, ${how}, ${own.described}, ${own.tokensPerSec.toFixed(1)} tokens/s`
      return compared(await theirs(bench), peer => [own.tokensPerSec / peer.tokensPerSec, text(peer)], conditions)
    },
  }
}

export const limitRow: Compared = {
  alone: async bench =>
    textOr(await torchRate(bench, bandwidth, 'float16'), ({ perSec }) => `${(perSec / 1e9).toFixed(0)} GB/s`),
  async measure(bench, gpu, adapter) {
    const precision = await productsOf(bench, gpu)
    const { tokensPerSec } = await ours<Decoded>(bench, gpu, decode(1))
    const { config } = shapeOf(bench)
    // The output layer stays in float32.
    const bytes = 4 * parameterCount(config) - (precision === 'float16' ? 2 : 0) * matrixElements(config)
    const used = tokensPerSec * bytes
    const limit = await limitOf(bench, gpu, bandwidth, adapter)
    const conditions = `${precision}, ${(used / 1e9).toFixed(0)} GB/s`
    return compared(limit, ({ perSec, by }) => [used / perSec, `${(perSec / 1e9).toFixed(0)} by ${by}`], conditions)
  },
}

export const stepRow: Compared = {
  alone: async bench => textOr(await trlStep(bench), stepOf),
  async measure(bench, gpu) {
    const { config, step: shape } = shapeOf(bench)
    const base = await baseOf(bench, gpu)
    const own = await ours<Timed>(bench, gpu, step)
    // Waggle reads the prompt once for all completions, TRL with each.
    const share = loraStepOperations(config, 1, shape) / loraStepOperations(config, shape.sequences, shape)
    const conditions = `${stepText(bench)}, ${base}, the prompt read once, which leaves ${share.toFixed(2)} of TRL's operations, in ${own.seconds.toFixed(2)} s, the median of three on both sides`
    return compared(await trlStep(bench), peer => [peer.seconds / own.seconds, stepOf(peer)], conditions)
  },
}

export const peakRow: Compared = {
  alone: async bench =>
    textOr(await torchRate(bench, peak, 'float32'), ({ perSec }) => `${(perSec / 1e9).toFixed(0)} GFLOP/s in float32`),
  async measure(bench, gpu, adapter) {
    const { config, step: shape } = shapeOf(bench)
    const base = await baseOf(bench, gpu)
    const { seconds } = await ours<Timed>(bench, gpu, step)
    const speed = loraStepOperations(config, 1, shape) / seconds
    const limit = await limitOf(bench, gpu, peak, adapter)
    const conditions = `${stepText(bench)}, ${base}, ${(speed / 1e9).toFixed(0)} GFLOP/s`
    return compared(limit, ({ perSec, by }) => [speed / perSec, `${(perSec / 1e9).toFixed(0)} by ${by}`], conditions)
  },
}

export const roundRow: Compared = {
  async measure(bench, gpu) {
    const own = await ours<Timed>(bench, gpu, round)
    const cpu = await onCpu<Timed>(bench, round)
    const { step: shape, roundTokens } = shapeOf(bench)
    const conditions = `a round of ${shape.sequences} completions of ${roundTokens} tokens and a LoRA step on them, ${own.seconds.toFixed(1)} against ${cpu.seconds.toFixed(1)} s, ${availableParallelism()} cores`
    return { value: cpu.seconds / own.seconds, conditions }
  },
}

function trlStep(bench: Bench): Promise<Timed | string> {
  const { config, step: shape } = shapeOf(bench)
  const asked = { ...shape, config, precision: 'default', threads: availableParallelism(), device: 'cuda' }
  return torch<Timed>(bench, 'peers/trlStep.py', asked)
}

const stepOf = ({ seconds, described }: Timed) => `${seconds.toFixed(2)} s (${described})`

/** Elements of the matrices of a decoder's layers. */
function matrixElements(config: DecoderConfig): number {
  const matrices = [...decoderWeightShapes(config)].filter(
    ([name, { length }]) => length === 2 && name.includes('layers'),
  )
  return matrices.reduce((sum, [, shape]) => sum + shape.reduce((a, b) => a * b, 1), 0)
}

/** A figure against another's, or none with the reason. */
function compared<T>(theirs: T | string, against: (theirs: T) => [number, string], conditions: string): Measured {
  if (typeof theirs === 'string') return { value: null, conditions: `${conditions}; no comparison: ${theirs}` }
  const [value, other] = against(theirs)
  return { value, conditions: `${conditions} against ${other}` }
}

const textOr = <T>(answer: T | string, text: (answer: T) => string) =>
  typeof answer === 'string' ? answer : text(answer)

/** A step's base: the type in which it is stored, and that in which it is multiplied. */
async function baseOf(bench: Bench, gpu: Device): Promise<string> {
  const [stored, multiplied] = [await productsOf(bench, gpu), await stepProductsOf(bench, gpu)]
  return `a base in ${stored}${multiplied === stored ? '' : `, multiplied in ${multiplied}`}`
}

const stepText = (bench: Bench) => {
  const { sequences, prompt, completion, rank } = shapeOf(bench).step
  return `a GRPO step of ${sequences} x ${completion} tokens after a prompt of ${prompt}, LoRA r = ${rank}`
}
