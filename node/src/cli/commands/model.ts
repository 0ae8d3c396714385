import { availableParallelism } from 'node:os'
import { z } from 'zod'
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
import { textOption } from '../options/optionKinds.ts'
import { parseDevice } from '../options/parseDevice.ts'
import { parsePrecision } from '../options/parsePrecision.ts'
import { samplingOptions } from '../options/parseSampling.ts'
import { drawOptions, machineOptions } from '../options/runOptions.ts'
import { optionsOf, usageOf } from '../options/settingOptions.ts'
import { whole } from '../options/whole.ts'
import { UsageError } from '../usageError.ts'

const options = {
  model: textOption('DIR', "the model's folder, or a GGUF file, which is imported once"),
  tokens: z.array(z.string()).optional().meta({
    value: 'IDS',
    description:
      'token ids, separated by commas; may be repeated for compare, which samples sequences if none are given',
  }),
  prompt: textOption(
    'TEXT',
    "generate: continues this text, as it is; npx waggle chat answers by the model's chat template",
  ),
  out: textOption('DIR', 'import: the folder to write'),
  models: textOption('DIR', 'folder for imported GGUF files (default WAGGLE_MODELS, else ~/.cache/waggle/models)'),
  adapter: textOption('DIR', 'a PEFT LoRA adapter, merged into the weights'),
  'max-new-tokens': textOption('N', 'generate: maximum number of new tokens (default 32)'),
  ...drawOptions,
  greedy: z.boolean().default(false).meta({
    description:
      'generate, like the five options below: take the most likely token instead of sampling; the repetition_penalty of generation_config.json is applied, as transformers does',
  }),
  seed: textOption('TEXT', 'generate: seed of sampling (default 0)'),
  ...machineOptions,
  precision: textOption(
    'NAMES',
    'generate: float32, float16, int8 or int4 (default float32); compare: several, separated by commas (default int8,int4)',
  ),
  device: textOption('NAME', `logits and generate: ${machineOptions.device.meta()?.description}`),
  sequences: textOption('N', 'compare: sequences to sample from the model (default 8)'),
  length: textOption('N', 'compare: tokens of each (default 128)'),
  threads: textOption('N', 'threads of a matrix product (default: all of the machine)'),
}

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

${usageOf(options)}
  --json              print one JSON object on the last line:
                      { "logits": number[positions][vocabulary] }, or
                      { "tokens": number[], "logprobs": number[] } of the new tokens, and with --prompt their "text", with the log-probability of each under what
                      it was sampled from, which is the model at temperature 1 unless options above change it, or
                      { "positions", "errors": [{ "precision", "meanLogprobError", "maxLogprobError", "meanKl", "greedyAgreement" }] }`,
  options: { ...optionsOf(options), json: { type: 'boolean' } },
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
