import { availableParallelism } from 'node:os'
import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import type { Precision } from '#model/quantization/precision.ts'
import { atMost } from '../defineCommand.ts'
import { copyOptions } from '../options/copyOptions.ts'
import { UsageError } from '../usageError.ts'
import { checkTokens } from './checkTokens.ts'

type CompareValues = {
  /** Sequences; by default some are sampled from the model. */
  tokens?: readonly Int32Array[] | undefined
  threads?: number | undefined
  precision?: readonly Precision[] | undefined
  sequences?: number | undefined
  /** Tokens of each sequence. */
  length?: number | undefined
  seed?: string | undefined
  cache?: string | undefined
  json: boolean
}

/** `waggle model compare`: how far a model's 8-bit and 4-bit copies are from float32. */
export async function compareModel(
  folder: string,
  { threads = availableParallelism(), precision = ['int8', 'int4'], seed = '0', ...values }: CompareValues,
): Promise<void> {
  const config = await readDecoderConfig(folder)
  const { tokens: given = [], sequences: count = 8, json } = values
  const length = atMost('length', values.length ?? Math.min(128, config.maxPositions), config.maxPositions)
  for (const tokens of given) {
    checkTokens(config, tokens)
    if (tokens.length < 2)
      throw new UsageError('--tokens needs at least two tokens.', { hint: 'Each token but the first is scored.' })
  }
  const { comparePrecisions, sampleSequences } = await import('#model/comparePrecisions.ts')
  const sequences = given.length > 0 ? given : await sampleSequences(folder, { count, length, seed, threads })
  const { positions, errors } = await comparePrecisions(folder, sequences, precision, {
    threads,
    ...copyOptions(values),
  })
  if (json) return console.log(JSON.stringify({ positions, errors }))
  console.log(`${positions} next tokens, against float32:`)
  for (const { precision: name, meanLogprobError, maxLogprobError, meanKl, greedyAgreement } of errors)
    console.log(
      `${name}  log-probability ${meanLogprobError.toExponential(2)} on average, ${maxLogprobError.toExponential(2)} at most; ` +
        `KL ${meanKl.toExponential(2)}; the same likeliest token at ${(100 * greedyAgreement).toFixed(1)} %`,
    )
}
