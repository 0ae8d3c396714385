import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { meantOption } from '../../node/src/cli/nearest.ts'
import { settingProblem } from '../../node/src/cli/options/settingProblem.ts'
import { type PresetName, presets } from '../../node/src/environments/builtIn.ts'
import { basePrecisions } from '../../node/src/model/lora/loraConfig.ts'

export const usage = `npm run swarm [-- OPTIONS]

Starts a whole swarm on this machine: a chain, the contracts, the indexer, the dashboard, and peers,
each in its own process. Ctrl-C stops everything; the next run resumes where the last one stopped.

  --solvers N         peers that solve and learn (default 3)
  --evaluators N      peers that score (default 3, at least 2: a quorum)
  --rounds N          settled rounds after which the run is complete (default: it runs until Ctrl-C)
  --level N           hold the difficulty at this level, 1 to 5 (default: it follows the scores)
  --preset NAME       constants of the environment: starter, or qwen, as in RL Swarm (default starter; fixed by the first run)
  --environment FILE  environment of chat models (npx waggle environment writes one); needs --model
  --model PATH_OR_REPO
                      the model that solves
  --judge PATH_OR_REPO
                      the frozen judge, if the environment has one
  --proposer PATH_OR_REPO_OR_URL
                      the model that proposes, of any tokenizer, or http://HOST:PORT/v1#MODEL of a server
  --dataset PATH_OR_REPO
                      propose the tasks of a dataset (docs/guides/use-a-dataset.md)
  --dataset-share X   share of the tasks that come from the dataset (default 1); the model proposes the others
  --lora RANK         solvers train an adapter of this rank
  --lora-base NAME    float32 or int8: precision of the frozen layers under the adapter (default float32)
  --round-seconds N   length of a round on a fresh chain (default 20)
  --exit              stop everything once the run is complete (needs --rounds)
  --json              print one JSON object on the last line
  --fresh             forget the chain, keys, weights and index of earlier runs
  --data DIR          where all of that is kept (default .waggle)
  --port N            port of the dashboard (default 3000); gateway, indexer and peers take the next three
  --chain-port N      port of the chain (default 8545)
  --help              print this`

const count = (low: number, high: number) => z.coerce.number().int().min(low).max(high)

/** Bounds keep a swarm on one machine sensible: a committee has at most 14 seats on chain. */
const schema = z.object({
  solvers: count(1, 16).default(3),
  evaluators: count(2, 14).default(3),
  rounds: count(1, 1_000_000).optional(),
  level: count(1, 5).optional(),
  preset: z.enum(Object.keys(presets) as [PresetName, ...PresetName[]]).default('starter'),
  environment: z.string().optional(),
  model: z.string().optional(),
  judge: z.string().optional(),
  proposer: z.string().optional(),
  dataset: z.string().optional(),
  'dataset-share': z.coerce.number().positive().max(1).optional(),
  lora: count(1, 4096).optional(),
  'lora-base': z.enum(basePrecisions).optional(),
  'round-seconds': count(5, 3600).optional(),
  exit: z.boolean().default(false),
  json: z.boolean().default(false),
  fresh: z.boolean().default(false),
  data: z
    .string()
    .default('.waggle')
    .transform(path => resolve(path)),
  port: count(1, 65_531).default(3000),
  'chain-port': count(1, 65_535).default(8545),
  help: z.boolean().default(false),
})

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

const flags = new Set(['exit', 'json', 'fresh', 'help'])
const known = Object.keys(schema.shape)

/** What was written, by the names of the options. */
function readValues(args: string[]): Record<string, unknown> {
  const options = Object.fromEntries(
    known.map(name => [name, { type: flags.has(name) ? 'boolean' : 'string' }] as const),
  )
  try {
    return parseArgs({ args, options }).values
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split('. ')
    const isBare = sentence.startsWith('Unexpected argument')
    const hint = isBare
      ? "npm passes on only what follows ' -- ': npm run swarm -- --rounds 4."
      : meantOption(sentence, known)
    throw new Error(`${sentence}. ${hint}`.trimEnd(), { cause: error })
  }
}
