import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import type { DecoderConfig } from '#model/decoderConfig.ts'
import { ModelInputError } from '#model/modelErrors.ts'
import type { Command, Values } from '../command.ts'
import { UsageError } from '../usageError.ts'

const text = { type: 'string' } as const

/** Runs a model of a folder on token ids. */
export const model: Command = {
  usage: `npm run --silent waggle -- model logits --model DIR --tokens 1,2,3 [--adapter DIR] [--json]
npm run --silent waggle -- model generate --model DIR --tokens 1,2,3 [--greedy] [--max-new-tokens N] [--json]

Runs a model of a Hugging Face folder (config.json and safetensors; no tokenizer is needed) on token ids, in float32.
logits says what it makes of every position; generate appends tokens, and ends where generation_config.json says.

  --model DIR         the model's folder
  --tokens IDS        token ids, separated by commas
  --adapter DIR       a PEFT LoRA adapter, merged into the weights
  --max-new-tokens N  generate: new tokens at most (default 32)
  --greedy            generate: always the most likely token, instead of sampling at temperature 1
  --seed TEXT         generate: what sampling depends on (default 0)
  --threads N         threads of a product (default: all of the machine)
  --json              end with one JSON object on the last line:
                      { "logits": number[positions][vocabulary] }, or
                      { "tokens": number[], "logprobs": number[] } of the new tokens, log-probabilities at temperature 1`,
  options: {
    model: text,
    tokens: text,
    adapter: text,
    'max-new-tokens': text,
    greedy: { type: 'boolean' },
    seed: text,
    threads: text,
    json: { type: 'boolean' },
  },
  positionals: ['logits or generate'],
  async run(values, [action = '']) {
    const verb = Object.hasOwn(actions, action) ? actions[action as keyof typeof actions] : undefined
    if (!verb)
      throw new UsageError(`model does not know '${action}'.`, { hint: 'Ask for model logits or model generate.' })
    const { model: folder, adapter } = values
    if (typeof folder !== 'string')
      throw new UsageError(`model ${action} needs --model.`, { hint: "Name a model's folder." })
    const tokens = parseTokens(values.tokens)
    const threads = whole('threads', values.threads, availableParallelism(), 256)
    const maxNewTokens = whole('max-new-tokens', values['max-new-tokens'], 32, 1_000_000)
    const { readDecoderConfig } = await import('#model/decoderConfig.ts')
    const config = await readDecoderConfig(folder)
    checkTokens(config, tokens) // before the weights are read, which may take a while
    const lora = typeof adapter === 'string' ? adapter : undefined
    await verb({ folder, config, adapter: lora, tokens, threads, maxNewTokens }, values)
  },
}

interface Request {
  readonly folder: string
  readonly config: DecoderConfig
  readonly adapter: string | undefined
  readonly tokens: Int32Array
  readonly threads: number
  readonly maxNewTokens: number
}

const actions = { logits, generate }

async function logits({ folder, adapter, tokens, threads }: Request, { json }: Values): Promise<void> {
  const { readModel } = await import('#model/readModel.ts')
  const { positionLogits } = await import('#model/positionLogits.ts')
  const model = await readModel(folder, adapter === undefined ? {} : { adapter })
  let at = 0
  for await (const row of positionLogits(model, tokens, { threads })) {
    requireNumbers(row)
    if (json === true) await print(`${at === 0 ? '{"logits":[' : ','}[${Array.from(row, shortest).join()}]`)
    else console.log(`${at} ${tokens[at]} -> ${describeBest(row)}`)
    at++
  }
  if (json === true) await print(']}\n')
}

async function generate(request: Request, values: Values): Promise<void> {
  const { folder, config, adapter, threads, maxNewTokens } = request
  const { readStopTokens } = await import('#model/readModel.ts')
  const stopTokens = await readStopTokens(folder, config)
  const generator = await openGenerator(folder, config, adapter, threads)
  const [completion] = await generator.generate({
    prompts: [request.tokens],
    samplesPerPrompt: 1,
    maxNewTokens,
    temperature: values.greedy === true ? 0 : 1,
    stopToken: stopTokens[0] ?? -1,
    moreStopTokens: stopTokens.slice(1),
    seed: typeof values.seed === 'string' ? values.seed : '0',
  })
  await generator.dispose()
  const [tokens, logprobs] = [Array.from(completion?.tokens ?? []), Array.from(completion?.logprobs ?? [])]
  requireNumbers(logprobs)
  if (values.json === true) return print(`${JSON.stringify({ tokens, logprobs: logprobs.map(shortest) })}\n`)
  for (const [i, token] of tokens.entries()) console.log(`${token} ${Math.exp(logprobs[i] as number).toFixed(4)}`)
}

/** Weights are read where they lie, and an adapter is computed beside them: neither needs a copy in memory. */
async function openGenerator(folder: string, config: DecoderConfig, adapter: string | undefined, threads: number) {
  const { loadGenerator, openFrozenTensors } = await import('#model/loadGenerator.ts')
  if (adapter === undefined) return loadGenerator(folder, { threads })
  const { createAdaptedGenerator } = await import('#model/adaptedGenerator.ts')
  const { frozenParts } = await import('#model/frozenParts.ts')
  const { readLora } = await import('#model/loraFiles.ts')
  const lora = await readLora(adapter, config)
  const tensors = await openFrozenTensors(folder, config, {})
  return createAdaptedGenerator(config, frozenParts(config, tensors), lora, { threads })
}

/** Finite weights may still overflow float32 on the way, and JSON has no word for that. */
function requireNumbers(values: Float32Array | readonly number[]): void {
  if (values.every(Number.isFinite)) return
  throw new ModelInputError('the model computes numbers that are not finite.', {
    hint: 'Check that its weights are whole, and those of a trained model.',
  })
}

function parseTokens(value: Values[string]): Int32Array {
  const hint = 'Give token ids separated by commas: --tokens 1,2,3.'
  if (typeof value !== 'string') throw new UsageError('model needs --tokens.', { hint })
  const words = value.split(',').map(word => word.trim())
  const wrong = words.find(word => !/^\d{1,9}$/.test(word))
  if (wrong !== undefined) throw new UsageError(`--tokens: '${wrong}' is no token id.`, { hint })
  return Int32Array.from(words, Number)
}

function checkTokens({ vocabSize, maxPositions }: DecoderConfig, tokens: Int32Array): void {
  const unknown = tokens.find(token => token >= vocabSize)
  if (unknown !== undefined)
    throw new UsageError(`--tokens: ${unknown} is not in the vocabulary of ${vocabSize}.`, {
      hint: 'Use the ids of this model’s own tokenizer.',
    })
  if (tokens.length >= maxPositions)
    throw new UsageError(`--tokens: ${tokens.length} are too many for the ${maxPositions} positions of this model.`, {
      hint: 'Give fewer.',
    })
}

function whole(name: string, value: Values[string], fallback: number, max: number): number {
  const number = value === undefined ? fallback : Number(value)
  if (Number.isInteger(number) && number >= 1 && number <= max) return number
  throw new UsageError(`--${name} ${value} is out of range.`, { hint: `Give a whole number from 1 to ${max}.` })
}

/** A float32 with no more digits than tell it from its neighbours. */
function shortest(x: number): number {
  return Number(x.toPrecision(9))
}

/** Writes to stdout, and waits where its reader is slow: logits of a long prompt are larger than a string may be. */
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
