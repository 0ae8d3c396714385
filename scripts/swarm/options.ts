import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { type PresetName, presets } from '../../node/src/environments/builtIn.ts'

export const usage = `npm run swarm [-- OPTIONS]

Starts a whole swarm on this machine: a chain, the contracts, the indexer, the dashboard, and peers
as processes of their own. Ctrl-C stops everything; a second run goes on where the first stopped.

  --solvers N         peers that solve and learn (default 3)
  --evaluators N      peers that score (default 3, at least 2: a quorum)
  --rounds N          count of settled rounds after which the run is complete
  --level N           hold the difficulty at this level, 1 to 5
  --preset NAME       constants: starter, or qwen, RL Swarm's (default starter; fixed by the first run)
  --round-seconds N   length of a round on a fresh chain (default 20)
  --exit              stop everything once the run is complete (needs --rounds)
  --json              end with one JSON object alone on the last line of stdout
  --fresh             forget the chain, keys, weights and index of earlier runs
  --data DIR          where all of that is kept (default .waggle)
  --port N            port of the dashboard (default 3000); gateway, indexer and peers take the next three
  --chain-port N      port of the chain (default 8545)
  --help              this text`

const count = (low: number, high: number) => z.coerce.number().int().min(low).max(high)

/** Bounds keep a swarm on one machine sensible: a committee has at most 14 seats on chain. */
const schema = z.object({
  solvers: count(1, 16).default(3),
  evaluators: count(2, 14).default(3),
  rounds: count(1, 1_000_000).optional(),
  level: count(1, 5).optional(),
  preset: z.enum(Object.keys(presets) as [PresetName, ...PresetName[]]).default('starter'),
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
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const { values } = parseArgs({
    args: argv,
    options: {
      solvers: text,
      evaluators: text,
      rounds: text,
      level: text,
      preset: text,
      'round-seconds': text,
      data: text,
      port: text,
      'chain-port': text,
      exit: flag,
      json: flag,
      fresh: flag,
      help: flag,
    },
  })
  const parsed = schema.safeParse(values)
  if (!parsed.success)
    throw new Error(parsed.error.issues.map(issue => `--${issue.path.join('.')}: ${issue.message}`).join('\n'))
  if (parsed.data.exit && parsed.data.rounds === undefined)
    throw new Error('--exit: say with --rounds N when the run is complete')
  return parsed.data
}
