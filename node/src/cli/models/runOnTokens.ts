import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import type { LoadOptions } from '#model/generation/loadGenerator.ts'
import { ModelInputError } from '#model/modelErrors.ts'
import type { PretrainedTokenizer } from '#model/tokenizers/pretrainedTokenizer.ts'
import { type DrawValues, requestSampling } from '../options/sampling.ts'
import { printable, TextStream } from '../textStream.ts'
import { UsageError } from '../usageError.ts'
import { openGenerator } from './openGenerator.ts'

export interface TokensRequest {
  readonly folder: string
  readonly config: DecoderConfig
  readonly adapter: string | undefined
  readonly tokens: Int32Array
  /** Set if the tokens come from a text. */
  readonly tokenizer: PretrainedTokenizer | undefined
  readonly maxNewTokens: number
  readonly load: LoadOptions
}

type PrintOptions = DrawValues & { readonly seed?: string | undefined; readonly json: boolean }

/** Prints the logits of every position. */
export async function printLogits(
  { folder, adapter, tokens, load }: TokensRequest,
  { json }: PrintOptions,
): Promise<void> {
  if (load.precision !== 'float32')
    throw new UsageError('model logits is in float32.', {
      hint: 'model compare measures how far other precisions differ; leave --precision out.',
    })
  const { readModel } = await import('#model/readModel.ts')
  const { positionLogits } = await import('#model/scoring/positionLogits.ts')
  const model = await readModel(folder, adapter === undefined ? {} : { adapter })
  let at = 0
  for await (const row of positionLogits(model, tokens, { threads: load.threads ?? 1, device: load.device ?? 'cpu' })) {
    await setImmediate() // let an interruption in
    load.signal?.throwIfAborted()
    requireNumbers(row)
    if (json) await print(`${at === 0 ? '{"logits":[' : ','}[${Array.from(row, shortest).join()}]`)
    else console.log(`${at} ${tokens[at]} -> ${describeBest(row)}`)
    at++
  }
  if (json) await print(']}\n')
}

/** Appends tokens, and prints them or their text. */
export async function printGenerated(request: TokensRequest, values: PrintOptions): Promise<void> {
  const { folder, config, adapter, load, maxNewTokens, tokenizer } = request
  const { readGenerationDefaults } = await import('#model/readModel.ts')
  const { stopTokens, repetitionPenalty } = await readGenerationDefaults(folder, config)
  const sampling = requestSampling(values, repetitionPenalty)
  const generator = await openGenerator(folder, config, adapter, load)
  const stream = tokenizer && !values.json ? new TextStream(ids => tokenizer.decode(ids)) : undefined
  const [completion] = await generator.generate({
    ...(stream ? { onToken: ({ token }) => process.stdout.write(printable(stream.push(token))) } : {}),
    prompts: [request.tokens],
    samplesPerPrompt: 1,
    maxNewTokens,
    ...sampling,
    stopToken: stopTokens[0] ?? -1,
    moreStopTokens: stopTokens.slice(1),
    seed: values.seed ?? '0',
    ...(load.signal ? { signal: load.signal } : {}),
  })
  await generator.dispose()
  const [tokens, logprobs] = [Array.from(completion?.tokens ?? []), Array.from(completion?.logprobs ?? [])]
  requireNumbers(logprobs)
  const text = tokenizer && { text: tokenizer.decode(tokens) }
  if (values.json) return print(`${JSON.stringify({ ...text, tokens, logprobs: logprobs.map(shortest) })}\n`)
  if (stream) return print(`${printable(stream.end())}\n`)
  for (const [i, token] of tokens.entries()) console.log(`${token} ${Math.exp(logprobs[i] as number).toFixed(4)}`)
}

/** Finite weights may still overflow float32 during the computation, and JSON cannot represent the result. */
function requireNumbers(values: Float32Array | readonly number[]): void {
  if (values.every(Number.isFinite)) return
  throw new ModelInputError('the model computes numbers that are not finite.', {
    hint: 'Check that its weights are whole, and those of a trained model.',
  })
}

/** A float32 with just enough digits to distinguish it from its neighbours. */
function shortest(x: number): number {
  return Number(x.toPrecision(9))
}

/** Writes to stdout, and waits for a slow reader: the logits of a long prompt exceed the maximum length of a string. */
async function print(part: string): Promise<void> {
  if (!process.stdout.write(part)) await once(process.stdout, 'drain')
}

/** The five most likely next tokens, with their probabilities. */
function describeBest(logits: Float32Array): string {
  const most = logits.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  const total = logits.reduce((sum, x) => sum + Math.exp(x - most), 0)
  const best = Array.from(logits.keys())
    .sort((a, b) => (logits[b] as number) - (logits[a] as number) || a - b)
    .slice(0, 5)
  return best.map(token => `${token} ${(Math.exp((logits[token] as number) - most) / total).toFixed(4)}`).join(', ')
}
