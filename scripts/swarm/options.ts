import { resolve } from 'node:path'
import { z } from 'zod'
import { basePrecisions } from '../../node/model/src/model/lora/loraConfig.ts'
import type { HelpPart } from '../../node/src/cli/layOutHelp.ts'
import { count, flag } from '../../node/src/cli/options/optionKinds.ts'
import { optionRows } from '../../node/src/cli/options/settingOptions.ts'
import { type PresetName, presets } from '../../node/src/environments/builtIn.ts'
import { helpOption, parseCommandLine } from '../base/commandLine.ts'
import { type Ports, portsFrom } from './ports.ts'

/** Bounds keep a swarm on one machine sensible: a committee has at most 14 seats on chain. */
export const options = {
  solvers: count(1, 16).default(3).meta({ value: 'N', description: 'peers that solve and learn, 1 to 16' }),
  evaluators: count(2, 14).default(3).meta({ value: 'N', description: 'peers that score, 2 (a quorum) to 14' }),
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
    description: 'environment of chat models (npx waggle environment create writes one); needs --model',
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
  lora: count(0, 4096)
    .optional()
    .meta({ value: 'RANK', description: 'solvers train an adapter of this rank; 0 trains all weights' }),
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
  exit: flag('stop everything once the run is complete (needs --rounds)'),
  json: flag('print one JSON object on the last line'),
  fresh: flag('forget the chain, keys, weights and index of earlier runs'),
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
  ...helpOption,
}

export const usage: readonly HelpPart[] = [
  { calls: 'npm run swarm [-- OPTIONS]' },
  'Starts a whole swarm on this machine: a chain, the contracts, the indexer, the dashboard, and peers, each in its own process. Ctrl-C stops everything; the next run resumes where the last one stopped.',
  { rows: optionRows(options) },
]

export type SwarmOptions = z.infer<z.ZodObject<typeof options>>

/** @throws {Error} with one line for each wrong option. */
export function parseOptions(argv: string[]): SwarmOptions {
  const { values } = parseCommandLine({ options }, argv)
  const { exit, rounds, environment, model, proposer, dataset, lora } = values
  if (exit && rounds === undefined) throw new Error('--exit needs --rounds N')
  if ((environment === undefined) !== (model === undefined)) throw new Error('--environment and --model go together')
  if (proposer !== undefined && model === undefined) throw new Error('--proposer needs --environment and --model')
  if (values['dataset-share'] !== undefined && dataset === undefined)
    throw new Error('--dataset-share: name a dataset with --dataset')
  if (lora !== undefined && model === undefined)
    throw new Error('--lora needs --model, the model that the adapter is trained for')
  if (values['lora-base'] !== undefined && !lora) throw new Error('--lora-base needs --lora RANK, of 1 or more')
  requireApart(portsFrom(values.port, values['chain-port']))
  return values
}

function requireApart({ chain, ...others }: Ports): void {
  const other = Object.entries(others).find(([, port]) => port === chain)?.[0]
  if (other !== undefined)
    throw new Error(`port ${chain} is that of the chain and of the ${other}: change --chain-port`)
}
