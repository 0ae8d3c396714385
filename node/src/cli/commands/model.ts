import { availableParallelism } from 'node:os'
import type { PretrainedTokenizer } from '#model/tokenizers/pretrainedTokenizer.ts'
import type { Command, Values } from '../command.ts'
import { checkTokens } from '../models/checkTokens.ts'
import { compareModel } from '../models/compareModel.ts'
import { importModel } from '../models/importModel.ts'
import { printGenerated, printLogits } from '../models/runOnTokens.ts'
import { unknownWord } from '../nearest.ts'
import { copyOptions } from '../options/copyOptions.ts'
import { openLocalModel } from '../options/modelOptions.ts'
import { openDevice } from '../options/openDevice.ts'
import { parseDevice } from '../options/parseDevice.ts'
import { parsePrecision } from '../options/parsePrecision.ts'
import { samplingOptions } from '../options/parseSampling.ts'
import { whole } from '../options/wholeNumber.ts'
import { UsageError } from '../usageError.ts'

const text = { type: 'string' } as const

/** Runs a model of a folder on token ids. */
export const model: Command = {
  usage: `npx waggle model logits --model DIR --tokens 1,2,3 [--adapter DIR] [--json]
npx waggle model generate --model DIR --tokens 1,2,3 [--greedy] [--max-new-tokens N] [--json]
npx waggle model generate --model DIR --prompt TEXT [--json]
npx waggle model compare --model DIR [--precision int8,int4] [--tokens 1,2,3] [--json]
npx waggle model import FILE.gguf --out DIR [--json]

Runs a model from a Hugging Face folder (config.json and safetensors; no tokenizer is needed for token ids), in float32.
import converts a llama.cpp file to such a folder, with tokenizer and chat template. logits prints the logits of every position;
generate appends tokens, up to the end tokens of generation_config.json; compare measures how far 8-bit and 4-bit are from float32.

  --model DIR         the model's folder, or a GGUF file, which is imported once
  --tokens IDS        token ids, separated by commas; may be repeated for compare, which samples sequences if none are given
  --prompt TEXT       generate: continues this text, as it is; npx waggle chat answers by the model's chat template
  --out DIR           import: the folder to write
  --models DIR        folder for imported GGUF files (default WAGGLE_MODELS, else ~/.cache/waggle/models)
  --adapter DIR       a PEFT LoRA adapter, merged into the weights
  --max-new-tokens N  generate: maximum number of new tokens (default 32)
  --greedy            generate: take the most likely token instead of sampling; the repetition_penalty of
                      generation_config.json is applied, as transformers does
  --temperature X     generate: divides the logits (default 1)
  --top-k N           generate: only the N most likely tokens
  --top-p X           generate: only the most likely tokens that together have this probability
  --min-p X           generate: only tokens at least this share as likely as the most likely one
  --repetition-penalty X  generate: divides the logits of tokens that already occurred
  --seed TEXT         generate: seed of sampling (default 0)
  --precision NAMES   generate: float32, float16, int8 or int4 (default float32);
                      compare: several, separated by commas (default int8,int4)
  --cache DIR         folder of quantised copies (default .waggle in the model's folder)
  --sequences N       compare: sequences to sample from the model (default 8)
  --length N          compare: tokens of each (default 128)
  --device NAME       logits and generate: cpu, webgpu, cuda, or auto for the device that npx waggle devices recommends (default cpu)
  --threads N         threads of a matrix product (default: all of the machine)
  --json              print one JSON object on the last line:
                      { "logits": number[positions][vocabulary] }, or
                      { "tokens": number[], "logprobs": number[] } of the new tokens, and with --prompt their "text", with the log-probability of each under what
                      it was sampled from, which is the model at temperature 1 unless options above change it, or
                      { "positions", "errors": [{ "precision", "meanLogprobError", "maxLogprobError", "meanKl", "greedyAgreement" }] }`,
  options: {
    model: text,
    tokens: { type: 'string', multiple: true },
    prompt: text,
    out: text,
    models: text,
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
  positionals: ['ACTION'],
  morePositionals: ['FILE.gguf'],
  async run(values, [action = '', file]) {
    const verb = Object.hasOwn(actions, action) ? actions[action as keyof typeof actions] : undefined
    if (!Object.hasOwn(taken, action)) throw unknownWord('action', action, Object.keys(taken))
    refuseOthers(action as Action, values)
    if (action === 'import') return importModel(file, values)
    if (file !== undefined)
      throw new UsageError(`model ${action} does not take '${file}'.`, { hint: 'Name it with --model.' })
    const { model: named, adapter, prompt, models } = values
    if (typeof named !== 'string')
      throw new UsageError(`model ${action} needs --model.`, { hint: "Name a model's folder or a GGUF file." })
    const threads = whole('threads', values.threads, availableParallelism(), 256)
    const given = (Array.isArray(values.tokens) ? values.tokens : []).map(parseTokens)
    const open = () => openLocalModel(named, { models: typeof models === 'string' ? models : undefined })
    if (!verb) return compareModel(await open(), given, threads, values)
    if (typeof prompt === 'string' ? given.length > 0 : given.length !== 1)
      throw new UsageError(`model ${action} needs --tokens, once${action === 'generate' ? ', or --prompt' : ''}.`, {
        hint: tokensHint,
      })
    const folder = await open()
    const tokenizer = typeof prompt === 'string' ? await openText(folder) : undefined
    const tokens = tokenizer?.encode(prompt as string) ?? (given[0] as Int32Array)
    const maxNewTokens = whole('max-new-tokens', values['max-new-tokens'], 32, 1_000_000)
    const { readDecoderConfig } = await import('#model/decoder/decoderConfig.ts')
    const config = await readDecoderConfig(folder)
    checkTokens(config, tokens, action === 'generate' ? 1 : 0) // before the weights are read, which may take a while
    const lora = typeof adapter === 'string' ? adapter : undefined
    const precision = parsePrecision(values.precision ?? 'float32')
    const device = await openDevice(parseDevice(values.device ?? 'cpu'), true)
    const load = { threads, precision, device, ...copyOptions(values) }
    await verb({ folder, config, adapter: lora, tokens, tokenizer, maxNewTokens, load }, values)
  },
}

const actions = { logits: printLogits, generate: printGenerated }

type Action = keyof typeof actions | 'compare' | 'import'

const shared = ['model', 'models', 'tokens', 'threads', 'json']

/** What each action takes. */
const taken: Readonly<Record<Action, readonly string[]>> = {
  logits: [...shared, 'adapter', 'precision', 'device'],
  generate: [
    ...[...shared, ...samplingOptions],
    ...['prompt', 'adapter', 'precision', 'cache', 'device', 'max-new-tokens', 'greedy', 'seed'],
  ],
  compare: [...shared, 'precision', 'cache', 'sequences', 'length', 'seed'],
  import: ['out', 'json'],
}

/** An option that changes nothing would be believed. @throws {UsageError} */
function refuseOthers(action: Action, values: Values): void {
  const other = Object.keys(values).find(name => !taken[action].includes(name))
  if (other === undefined) return
  throw new UsageError(`model ${action} does not take --${other}.`, { hint: 'See npx waggle model --help.' })
}

/** @throws {ModelFileError} if the folder has no tokenizer that fits. */
async function openText(folder: string): Promise<PretrainedTokenizer> {
  const { PretrainedTokenizer } = await import('#model/tokenizers/pretrainedTokenizer.ts')
  const { checkTokenizerFits } = await import('#model/tokenizers/checkTokenizerFits.ts')
  const { readDecoderConfig } = await import('#model/decoder/decoderConfig.ts')
  const tokenizer = await PretrainedTokenizer.read(folder)
  checkTokenizerFits(tokenizer, await readDecoderConfig(folder), folder)
  return tokenizer
}

const tokensHint = 'Give token ids separated by commas: --tokens 1,2,3.'

function parseTokens(value: string | boolean): Int32Array {
  const words = String(value)
    .split(',')
    .map(word => word.trim())
  const wrong = words.find(word => !/^\d{1,9}$/.test(word))
  if (wrong !== undefined) throw new UsageError(`--tokens: '${wrong}' is not a token id.`, { hint: tokensHint })
  return Int32Array.from(words, Number)
}
