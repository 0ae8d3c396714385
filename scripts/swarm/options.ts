import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { meantOption } from '../../node/src/cli/nearest.ts'
import { optionsOf, usageOf } from '../../node/src/cli/options/settingOptions.ts'
import { settingProblem } from '../../node/src/cli/options/settingProblem.ts'
import { type PresetName, presets } from '../../node/src/environments/builtIn.ts'
import { basePrecisions } from '../../node/src/model/lora/loraConfig.ts'

const count = (low: number, high: number) => z.coerce.number().int().min(low).max(high)

/** Bounds keep a swarm on one machine sensible: a committee has at most 14 seats on chain. */
const options = {
  solvers: count(1, 16).default(3).meta({ value: 'N', description: 'peers that solve and learn' }),
  evaluators: count(2, 14).default(3).meta({ value: 'N', description: 'peers that score, at least 2: a quorum' }),
  rounds: count(1, 1_000_000).optional().meta({
    value: 'N',
    description: 'settled rounds after which the run is complete (default: it runs until Ctrl-C)',
  }),
  level: count(1, 5).optional().meta({
    value: 'N',
    description: 'hold the difficulty at this level, 1 to 5 (default: it follows the scores)',
  }),
  preset: z
    .enum(Object.keys(presets) as [PresetName, ...PresetName[]])
    .default('starter')
    .meta({
      value: 'NAME',
      description: 'constants of the environment: starter, or qwen, as in RL Swarm; fixed by the first run',
    }),
  environment: z.string().optional().meta({
    value: 'FILE',
    description: 'environment of chat models (npx waggle environment writes one); needs --model',
  }),
  model: z.string().optional().meta({ value: 'PATH_OR_REPO', description: 'the model that solves' }),
  judge: z
    .string()
    .optional()
    .meta({ value: 'PATH_OR_REPO', description: 'the frozen judge, if the environment has one' }),
  proposer: z.string().optional().meta({
    value: 'PATH_OR_REPO_OR_URL',
    description: 'the model that proposes, of any tokenizer, or http://HOST:PORT/v1#MODEL of a server',
  }),
  dataset: z.string().optional().meta({
    value: 'PATH_OR_REPO',
    description: 'propose the tasks of a dataset (docs/guides/use-a-dataset.md)',
  }),
  'dataset-share': z.coerce.number().positive().max(1).optional().meta({
    value: 'X',
    description: 'share of the tasks that come from the dataset (default 1); the model proposes the others',
  }),
  lora: count(1, 4096).optional().meta({ value: 'RANK', description: 'solvers train an adapter of this rank' }),
  'lora-base': z.enum(basePrecisions).optional().meta({
    value: 'NAME',
    description: 'float32 or int8: precision of the frozen layers under the adapter (default float32)',
  }),
  'round-seconds': count(5, 3600)
    .optional()
    .meta({ value: 'N', description: 'length of a round on a fresh chain (default 20)' }),
  'held-out': count(1, 1000).default(100).meta({
    value: 'N',
    description: 'held-out tasks that solvers are measured on at the end',
  }),
  exit: z.boolean().default(false).meta({ description: 'stop everything once the run is complete (needs --rounds)' }),
  json: z.boolean().default(false).meta({ description: 'print one JSON object on the last line' }),
  fresh: z.boolean().default(false).meta({ description: 'forget the chain, keys, weights and index of earlier runs' }),
  data: z
    .string()
    .transform(path => resolve(path))
    .prefault('.waggle')
    .meta({ value: 'DIR', description: 'where all of that is kept' }),
  port: count(1, 65_531).default(3000).meta({
    value: 'N',
    description: 'port of the dashboard; gateway, indexer and peers take the next three',
  }),
  'chain-port': count(1, 65_535).default(8545).meta({ value: 'N', description: 'port of the chain' }),
  help: z.boolean().default(false).meta({ description: 'print this' }),
}

export const usage = `npm run swarm [-- OPTIONS]

Starts a whole swarm on this machine: a chain, the contracts, the indexer, the dashboard, and peers,
each in its own process. Ctrl-C stops everything; the next run resumes where the last one stopped.

${usageOf(options)}`

const schema = z.object(options)

export type SwarmOptions = z.infer<typeof schema>

/** @throws {Error} with one line for each bad option. */
export function parseOptions(argv: string[]): SwarmOptions {
  const values = readValues(argv)
  const parsed = schema.safeParse(values)
  if (!parsed.success)
    throw new Error(
      parsed.error.issues
        .map(issue => {
          const name = issue.path.join('.')
          return settingProblem(`--${name}`, issue, values[name])
        })
        .join('\n'),
    )
  if (parsed.data.exit && parsed.data.rounds === undefined) throw new Error('--exit needs --rounds N')
  const { environment, model, lora, 'lora-base': base } = parsed.data
  if ((environment === undefined) !== (model === undefined)) throw new Error('--environment and --model go together')
  if (parsed.data.proposer !== undefined && model === undefined)
    throw new Error('--proposer needs --environment and --model')
  if (parsed.data['dataset-share'] !== undefined && parsed.data.dataset === undefined)
    throw new Error('--dataset-share: name a dataset with --dataset')
  if (lora !== undefined && model === undefined)
    throw new Error('--lora needs --model, the model that the adapter is trained for')
  if (base !== undefined && lora === undefined) throw new Error('--lora-base needs --lora RANK')
  return parsed.data
}

/** What was written, by the names of the options. */
function readValues(args: string[]): Record<string, unknown> {
  try {
    return parseArgs({ args, options: optionsOf(options) }).values
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split('. ')
    const isBare = sentence.startsWith('Unexpected argument')
    const hint = isBare
      ? "npm passes on only what follows ' -- ': npm run swarm -- --rounds 4."
      : meantOption(sentence, Object.keys(options))
    throw new Error(`${sentence}. ${hint}`.trimEnd(), { cause: error })
  }
}
