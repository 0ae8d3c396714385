import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import type { Values } from '../command.ts'
import { copyOptions } from '../options/copyOptions.ts'
import { parsePrecision } from '../options/parsePrecision.ts'
import { whole } from '../options/whole.ts'
import { UsageError } from '../usageError.ts'
import { checkTokens } from './checkTokens.ts'

/**
 * `waggle model compare`: how far a model's 8-bit and 4-bit copies are from float32.
 *
 * @param given - sequences of tokens; some are sampled from the model if there are none.
 */
export async function compareModel(
  folder: string,
  given: readonly Int32Array[],
  threads: number,
  values: Values,
): Promise<void> {
  const config = await readDecoderConfig(folder)
  const precisions = String(values.precision ?? 'int8,int4')
    .split(',')
    .map(parsePrecision)
  const count = whole('sequences', values.sequences, 8, 10_000)
  const length = whole('length', values.length, Math.min(128, config.maxPositions), config.maxPositions, 2)
  for (const tokens of given) {
    checkTokens(config, tokens)
    if (tokens.length < 2)
      throw new UsageError('--tokens needs at least two tokens.', { hint: 'Each token but the first is scored.' })
  }
  const { comparePrecisions, sampleSequences } = await import('#model/quantization/comparePrecisions.ts')
  const seed = typeof values.seed === 'string' ? values.seed : '0'
  const sequences = given.length > 0 ? given : await sampleSequences(folder, { count, length, seed, threads })
  const { positions, errors } = await comparePrecisions(folder, sequences, precisions, {
    threads,
    ...copyOptions(values),
  })
  if (values.json === true) return console.log(JSON.stringify({ positions, errors }))
  console.log(`${positions} next tokens, against float32:`)
  for (const { precision, meanLogprobError, maxLogprobError, meanKl, greedyAgreement } of errors)
    console.log(
      `${precision}  log-probability ${meanLogprobError.toExponential(2)} on average, ${maxLogprobError.toExponential(2)} at most; ` +
        `KL ${meanKl.toExponential(2)}; the same likeliest token at ${(100 * greedyAgreement).toFixed(1)} %`,
    )
}
