import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import type { DecoderConfig } from '#model/decoderConfig.ts'
import type { LoadOptions } from '#model/loadGenerator.ts'
import { ModelInputError } from '#model/modelErrors.ts'
import { checkTokens } from '../checkTokens.ts'
import type { Command, Values } from '../command.ts'
import { compareModel } from '../compareModel.ts'
import { copyOptions } from '../copyOptions.ts'
import { openDevice } from '../openDevice.ts'
import { parseDevice } from '../parseDevice.ts'
import { parsePrecision } from '../parsePrecision.ts'
import { parseSampling, samplingOptions } from '../parseSampling.ts'
import { UsageError } from '../usageError.ts'
import { whole } from '../wholeNumber.ts'

const text = { type: 'string' } as const

/** Runs a model of a folder on token ids. */
export const model: Command = {
  usage: `npm run --silent waggle -- model logits --model DIR --tokens 1,2,3 [--adapter DIR] [--json]
npm run --silent waggle -- model generate --model DIR --tokens 1,2,3 [--greedy] [--max-new-tokens N] [--json]
npm run --silent waggle -- model compare --model DIR [--precision int8,int4] [--tokens 1,2,3] [--json]

Runs a model of a Hugging Face folder (config.json and safetensors; no tokenizer is needed) on token ids, in float32.
logits says what it makes of every position; generate appends tokens, and ends where generation_config.json says; compare says
how far 8-bit and 4-bit are from float32.

  --model DIR         the model's folder
  --tokens IDS        token ids, separated by commas; compare takes it several times, and samples some if there are none
  --adapter DIR       a PEFT LoRA adapter, merged into the weights
  --max-new-tokens N  generate: new tokens at most (default 32)
  --greedy            generate: always the most likely token, instead of sampling; the repetition_penalty of
                      generation_config.json is applied, as transformers does
  --temperature X     generate: divides the logits (default 1)
  --top-k N           generate: only the N most likely tokens
  --top-p X           generate: only the most likely tokens that together have this probability
  --min-p X           generate: only tokens at least this share as likely as the most likely one
  --repetition-penalty X  generate: divides the logits of tokens that were there already
  --seed TEXT         generate: what sampling depends on (default 0)
  --precision NAMES   generate: float32, int8 or int4 (default float32); compare: some, by commas (default int8,int4)
  --cache DIR         where quantised copies are kept (default .waggle in the model's folder)
  --sequences N       compare: sequences to sample from the model (default 8)
  --length N          compare: tokens of each (default 128)
  --device NAME       generate: cpu, webgpu, cuda, or auto for what waggle devices would take (default cpu)
  --threads N         threads of a product (default: all of the machine)
  --json              end with one JSON object on the last line:
                      { "logits": number[positions][vocabulary] }, or
                      { "tokens": number[], "logprobs": number[] } of the new tokens, with the log-probability of each under what
                      it was sampled from, which is the model at temperature 1 unless options above change it, or
                      { "positions", "errors": [{ "precision", "meanLogprobError", "maxLogprobError", "meanKl", "greedyAgreement" }] }`,
  options: {
    model: text,
    tokens: { type: 'string', multiple: true },
    adapter: text,
    precision: text,
    cache: text,
    device: text,
    sequences: text,
    length: text,
    'max-new-tokens': text,
    greedy: { type: 'boolean' },
    temperature: text,
    'top-k': text,
    'top-p': text,
    'min-p': text,
    'repetition-penalty': text,
    seed: text,
    threads: text,
    json: { type: 'boolean' },
  },
  positionals: ['logits, generate or compare'],
  async run(values, [action = '']) {
    const verb = Object.hasOwn(actions, action) ? actions[action as keyof typeof actions] : undefined
    if (!verb && action !== 'compare')
      throw new UsageError(`model does not know '${action}'.`, {
        hint: 'Ask for model logits, model generate or model compare.',
      })
    refuseOthers(action as Action, values)
    const { model: folder, adapter } = values
    if (typeof folder !== 'string')
      throw new UsageError(`model ${action} needs --model.`, { hint: "Name a model's folder." })
    const threads = whole('threads', values.threads, availableParallelism(), 256)
    const given = (Array.isArray(values.tokens) ? values.tokens : []).map(parseTokens)
    if (!verb) return compareModel(folder, given, threads, values)
    const [tokens] = given
    if (!tokens || given.length > 1) throw new UsageError(`model ${action} needs --tokens, once.`, { hint: tokensHint })
    const maxNewTokens = whole('max-new-tokens', values['max-new-tokens'], 32, 1_000_000)
    const { readDecoderConfig } = await import('#model/decoderConfig.ts')
    const config = await readDecoderConfig(folder)
    checkTokens(config, tokens, action === 'generate' ? 1 : 0) // before the weights are read, which may take a while
    const lora = typeof adapter === 'string' ? adapter : undefined
    const precision = parsePrecision(values.precision ?? 'float32')
    const device = await openDevice(parseDevice(values.device ?? 'cpu'), true)
    const load = { threads, precision, device, ...copyOptions(values) }
    await verb({ folder, config, adapter: lora, tokens, maxNewTokens, load }, values)
  },
}

interface Request {
  readonly folder: string
  readonly config: DecoderConfig
  readonly adapter: string | undefined
  readonly tokens: Int32Array
  readonly maxNewTokens: number
  readonly load: LoadOptions
}

const actions = { logits, generate }

type Action = keyof typeof actions | 'compare'

/** What each action takes, beside what all do. */
const taken: Readonly<Record<Action, readonly string[]>> = {
  logits: ['adapter', 'precision', 'device'],
  generate: [...['adapter', 'precision', 'cache', 'device', 'max-new-tokens', 'greedy', 'seed'], ...samplingOptions],
  compare: ['precision', 'cache', 'sequences', 'length', 'seed'],
}

/** An option that changes nothing would be believed. @throws {UsageError} */
function refuseOthers(action: Action, values: Values): void {
  const known = ['model', 'tokens', 'threads', 'json', ...taken[action]]
  const other = Object.keys(values).find(name => !known.includes(name))
  if (other === undefined) return
  throw new UsageError(`model ${action} does not take --${other}.`, { hint: 'See npm run waggle -- model --help.' })
}

async function logits({ folder, adapter, tokens, load }: Request, { json }: Values): Promise<void> {
  if (load.precision !== 'float32' || load.device !== 'cpu')
    throw new UsageError('model logits is in float32, on the CPU.', {
      hint: 'model compare says how far other precisions are; leave --precision and --device out.',
    })
  const { readModel } = await import('#model/readModel.ts')
  const { positionLogits } = await import('#model/positionLogits.ts')
  const model = await readModel(folder, adapter === undefined ? {} : { adapter })
  let at = 0
  for await (const row of positionLogits(model, tokens, { threads: load.threads ?? 1 })) {
    await setImmediate() // let an interruption in
    load.signal?.throwIfAborted()
    requireNumbers(row)
    if (json === true) await print(`${at === 0 ? '{"logits":[' : ','}[${Array.from(row, shortest).join()}]`)
    else console.log(`${at} ${tokens[at]} -> ${describeBest(row)}`)
    at++
  }
  if (json === true) await print(']}\n')
}

async function generate(request: Request, values: Values): Promise<void> {
  const { folder, config, adapter, load, maxNewTokens } = request
  const { readGenerationDefaults } = await import('#model/readModel.ts')
  const { stopTokens, repetitionPenalty } = await readGenerationDefaults(folder, config)
  const isGreedy = values.greedy === true
  const { temperature, ...sampling } = parseSampling(values)
  const generator = await openGenerator(folder, config, adapter, load)
  const [completion] = await generator.generate({
    prompts: [request.tokens],
    samplesPerPrompt: 1,
    maxNewTokens,
    ...(isGreedy && repetitionPenalty !== 1 ? { repetitionPenalty } : {}),
    ...sampling,
    temperature: isGreedy ? 0 : (temperature ?? 1),
    stopToken: stopTokens[0] ?? -1,
    moreStopTokens: stopTokens.slice(1),
    seed: typeof values.seed === 'string' ? values.seed : '0',
    ...(load.signal ? { signal: load.signal } : {}),
  })
  await generator.dispose()
  const [tokens, logprobs] = [Array.from(completion?.tokens ?? []), Array.from(completion?.logprobs ?? [])]
  requireNumbers(logprobs)
  if (values.json === true) return print(`${JSON.stringify({ tokens, logprobs: logprobs.map(shortest) })}\n`)
  for (const [i, token] of tokens.entries()) console.log(`${token} ${Math.exp(logprobs[i] as number).toFixed(4)}`)
}

/** Weights are read where they lie, and an adapter is computed beside them: neither needs a copy in memory. */
async function openGenerator(folder: string, config: DecoderConfig, adapter: string | undefined, load: LoadOptions) {
  const { loadGenerator, openFrozenTensors } = await import('#model/loadGenerator.ts')
  if (adapter === undefined) return loadGenerator(folder, load)
  const { createAdaptedGenerator } = await import('#model/adaptedGenerator.ts')
  const { frozenParts } = await import('#model/frozenParts.ts')
  const { readLora } = await import('#model/loraFiles.ts')
  const lora = await readLora(adapter, config)
  const tensors = await openFrozenTensors(folder, config, load)
  return createAdaptedGenerator(config, frozenParts(config, tensors), lora, {
    threads: load.threads ?? 2,
    device: load.device ?? 'cpu',
  })
}

/** Finite weights may still overflow float32 on the way, and JSON has no word for that. */
function requireNumbers(values: Float32Array | readonly number[]): void {
  if (values.every(Number.isFinite)) return
  throw new ModelInputError('the model computes numbers that are not finite.', {
    hint: 'Check that its weights are whole, and those of a trained model.',
  })
}

const tokensHint = 'Give token ids separated by commas: --tokens 1,2,3.'

function parseTokens(value: string | boolean): Int32Array {
  const words = String(value)
    .split(',')
    .map(word => word.trim())
  const wrong = words.find(word => !/^\d{1,9}$/.test(word))
  if (wrong !== undefined) throw new UsageError(`--tokens: '${wrong}' is no token id.`, { hint: tokensHint })
  return Int32Array.from(words, Number)
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
