import { z } from 'zod'
import { precisions } from '#model/quantization/precision.ts'
import type { PretrainedTokenizer } from '#model/tokenizers/pretrainedTokenizer.ts'
import type { CommandAction } from '../command.ts'
import { defineCommand, required } from '../defineCommand.ts'
import { checkTokens } from '../models/checkTokens.ts'
import { compareModel } from '../models/compareModel.ts'
import { importModel } from '../models/importModel.ts'
import { printGenerated, printLogits } from '../models/runOnTokens.ts'
import { knownAction } from '../nearest.ts'
import { openLocalModel } from '../options/modelOptions.ts'
import { count, textOption } from '../options/optionKinds.ts'
import { drawOptions, loadOptions, machineOptions, threadsOption } from '../options/runOptions.ts'
import { samplingOptions } from '../options/sampling.ts'
import { UsageError } from '../usageError.ts'

const tokenIds = z
  .string()
  .regex(/^\s*\d{1,9}\s*(,\s*\d{1,9}\s*)*$/, 'not token ids separated by commas, such as 1,2,3')
  .transform(text => Int32Array.from(text.split(','), Number))

const own = {
  model: textOption('DIR', "the model's folder, or a GGUF file, which is imported once"),
  tokens: z.array(tokenIds).optional().meta({
    value: 'IDS',
    description:
      'token ids, separated by commas; may be repeated for compare, which samples sequences if none are given',
  }),
  prompt: textOption(
    'TEXT',
    "generate: text to continue, without a chat template (npx waggle chat applies it); the tokenizer's begin token, if it has one, is added",
  ),
  out: textOption('DIR', 'import: the folder to write'),
  models: textOption('DIR', 'folder for imported GGUF files (default WAGGLE_MODELS, else ~/.cache/waggle/models)'),
  adapter: textOption('DIR', 'a PEFT LoRA adapter, merged into the weights'),
  'max-new-tokens': count(1, 1_000_000)
    .optional()
    .meta({ value: 'N', description: 'generate: maximum number of new tokens (default 32)' }),
  ...drawOptions,
  greedy: z.boolean().default(false).meta({
    description:
      'generate, like the five options below: take the most likely token instead of sampling; the repetition_penalty of generation_config.json is applied, as transformers does',
  }),
  seed: textOption('TEXT', 'generate: seed of sampling (default 0)'),
  ...machineOptions,
  precision: z
    .string()
    .transform(text => text.split(','))
    .pipe(z.array(z.enum(precisions)))
    .optional()
    .meta({
      value: 'NAMES',
      description:
        'generate: float32, float16, int8 or int4 (default float32); compare: several, separated by commas (default int8,int4)',
    }),
  device: machineOptions.device.meta({
    value: 'NAME',
    description: `logits and generate: ${machineOptions.device.meta()?.description}`,
  }),
  sequences: count(1, 10_000)
    .optional()
    .meta({ value: 'N', description: 'compare: sequences to sample from the model (default 8)' }),
  length: count(2).optional().meta({ value: 'N', description: 'compare: tokens of each (default 128)' }),
  threads: threadsOption,
  json: z.boolean().default(false).meta({
    description:
      'print one JSON object on the last line: { "logits": number[positions][vocabulary] }; or { "tokens": number[], "logprobs": number[] } of the new tokens, under the distribution that they were sampled from, and with --prompt their "text"; or { "positions", "errors": [{ "precision", "meanLogprobError", "maxLogprobError", "meanKl", "greedyAgreement" }] }',
  }),
}

type ModelValues = z.infer<z.ZodObject<typeof own>>

const run = { logits: printLogits, generate: printGenerated }

const shared = ['model', 'models', 'tokens', 'threads', 'json']

const actions = [
  { name: 'logits', text: 'print the logits of every position' },
  { name: 'generate', text: 'append tokens, up to the end tokens of generation_config.json' },
  { name: 'compare', text: 'measure how far 8-bit and 4-bit are from float32' },
  {
    name: 'import',
    arguments: 'FILE.gguf',
    text: 'convert a llama.cpp file to such a folder, with tokenizer and chat template',
  },
] as const satisfies readonly CommandAction[]
type Action = (typeof actions)[number]['name']

/** Options of each action. */
const taken = {
  logits: [...shared, 'adapter', 'precision', 'device'],
  generate: [
    ...[...shared, ...samplingOptions],
    ...['prompt', 'adapter', 'precision', 'cache', 'device', 'max-new-tokens', 'greedy', 'seed'],
  ],
  compare: [...shared, 'precision', 'cache', 'sequences', 'length', 'seed'],
  import: ['out', 'json'],
} satisfies Record<Action, readonly string[]>

/** Runs a model of a folder on token ids. */
export const model = defineCommand({
  usage: `npx waggle model logits --model DIR --tokens 1,2,3 [--adapter DIR] [--json]
npx waggle model generate --model DIR --tokens 1,2,3 [--greedy] [--max-new-tokens N] [--json]
npx waggle model generate --model DIR --prompt TEXT [--json]
npx waggle model compare --model DIR [--precision int8,int4] [--tokens 1,2,3] [--json]
npx waggle model import FILE.gguf --out DIR [--json]`,
  about:
    'Runs a model from a Hugging Face folder (config.json and safetensors; no tokenizer is needed for token ids), in float32.',
  own,
  actions,
  positionals: ['ACTION'],
  morePositionals: ['FILE.gguf'],
  async run(values, [word = '', file]) {
    const action = knownAction(word, actions)
    refuseOthers(action, values)
    if (action === 'import') return importModel(file, values)
    if (file !== undefined)
      throw new UsageError(`model ${action} does not take '${file}'.`, { hint: 'Name it with --model.' })
    const path = required('model', values.model, "Name a model's folder or a GGUF file.")
    if (action === 'compare') return compareModel(await openLocalModel(path, values), values)
    await runOnTokens(action, path, values)
  },
})

async function runOnTokens(action: keyof typeof run, path: string, values: ModelValues): Promise<void> {
  const { prompt, adapter, tokens: given = [], precision: [precision = 'float32', ...others] = [] } = values
  if (others.length > 0)
    throw new UsageError(`model ${action} takes one --precision.`, { hint: 'See npx waggle model --help.' })
  if (prompt === undefined ? given.length !== 1 : given.length > 0)
    throw new UsageError(`model ${action} needs --tokens, once${action === 'generate' ? ', or --prompt' : ''}.`, {
      hint: 'Give token ids separated by commas: --tokens 1,2,3.',
    })
  const folder = await openLocalModel(path, values)
  const tokenizer = prompt === undefined ? undefined : await openText(folder)
  const tokens = tokenizer ? promptTokens(tokenizer, prompt as string) : (given[0] as Int32Array)
  const { readDecoderConfig } = await import('#model/decoder/decoderConfig.ts')
  const config = await readDecoderConfig(folder)
  checkTokens(config, tokens, tokenizer ? 'prompt' : 'tokens', action === 'generate' ? 1 : 0) // before the weights are read, which takes long
  const load = await loadOptions({ ...values, precision })
  const maxNewTokens = values['max-new-tokens'] ?? 32
  await run[action]({ folder, config, adapter, tokens, tokenizer, maxNewTokens, load }, values)
}

/** A model that was trained on texts with a first token continues them badly without it. */
function promptTokens(tokenizer: PretrainedTokenizer, text: string): Int32Array {
  return Int32Array.from([...tokenizer.prefix, ...tokenizer.encode(text)])
}

/** Refuses options that the action would ignore. @throws {UsageError} */
function refuseOthers(action: Action, values: ModelValues): void {
  const isGiven = (value: unknown) => value !== undefined && value !== false
  const other = Object.entries(values).find(([name, value]) => isGiven(value) && !taken[action].includes(name))?.[0]
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
