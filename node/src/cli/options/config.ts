import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { logLevels } from '#core/logger.ts'
import { isServerUrl } from '#hub/chatServer/serverAddress.ts'
import { isRepoName } from '#hub/repoReference.ts'
import { devices } from '#model/devices.ts'
import { basePrecisions } from '#model/lora/loraConfig.ts'
import { networkSettings } from '#p2p/networkConfig.ts'
import { roleNames } from '#roles/roleName.ts'
import { migrateFolder } from '#store/folderFormat.ts'
import { SETTINGS_FILE } from '#store/folderNames.ts'
import { areHttpUrls } from '../environment.ts'
import { UsageError } from '../usageError.ts'
import { settingProblem, unknownSetting } from './settingProblem.ts'

/** What a peer is told. Flags come before `<data>/waggle.yaml`, and that before the environment and the defaults. */
export const configSchema = z.strictObject({
  role: z.enum(roleNames).optional(),
  /** Name of a deployment in `deployments/`, or `local`, which it is if nothing else is said. */
  network: z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/, 'not the name of a network')
    .optional(),
  /** Path of a deployment's record, where it is not one that comes with the code. */
  deployment: z.string().min(1).optional(),
  /** A record is on one chain only; which of the chain's RPC endpoints are asked is the operator's choice. */
  rpc: z.string().refine(areHttpUrls, 'not an http or https URL, or several by commas').optional(),
  /** Who registers a peer without funds and keeps its account supplied with gas. */
  sponsor: z.url({ protocol: /^https?$/, error: 'not an http or https URL' }).optional(),
  ...networkSettings,
  /** Port of the gateway's HTTP server, on loopback. */
  http: z.coerce.number().int().min(1).max(65_535).default(3001),
  /** Folders of the operator's own solvers. What they say of themselves is shown to whoever asks the gateway. */
  'figures-of': z.array(z.string().min(1)).max(64).default([]),
  /** Space for all bodies, MiB: 32 peers with as much as a peer may have. */
  'keep-mb': z.coerce.number().int().min(64).max(1e9).default(8192),
  /** Space for the bodies of one peer, MiB: 16 of the largest. */
  'keep-peer-mb': z.coerce.number().int().min(16).max(1e9).default(256),
  /** Holds a proposer at one level; without it the difficulty follows the settled scores. */
  level: z.coerce.number().int().min(1).max(5).optional(),
  /** File, folder, or OWNER/NAME[@REVISION][:PATH], of a dataset that a proposer proposes from. */
  dataset: z.string().min(1).optional(),
  /** Share of a proposer's tasks that are from the dataset; the model's are the rest. */
  'dataset-share': z.coerce.number().positive().max(1).optional(),
  /** Withheld leaves that an evaluator demands a round at most. None unless it is said: each takes a bond of the chain's coin. */
  demands: z.coerce.number().int().min(0).max(1_000).default(0),
  /**
   * Settled scores of a round that a solver appeals at most, and verdicts over its votes that an evaluator does at a time. Each has to pay, and
   * after one that changed nothing it rests; two keep what a defect could cost below two bonds.
   */
  appeals: z.union([z.literal(['off', false]).transform(() => 0), z.coerce.number().int().min(0).max(32)]).default(2),
  /** What a Nectar is worth, in the chain's coin: the chain has no price of it. */
  'nectar-price': z.coerce.number().min(0).max(1e6).default(0.001),
  /** Nectar that a solver stakes on a game of the market at most. One is less than a round earns, and a model that is wrong costs no more. */
  bets: z.union([z.literal(['off', false]).transform(() => 0), z.coerce.number().min(0).max(1_000)]).default(1),
  /** Path of an environment's specification, for chat models; without it the starter models play. */
  environment: z.string().min(1).optional(),
  /** Folder, or OWNER/NAME[@REVISION], of the model that solves. */
  model: z.string().min(1).optional(),
  /** Of the model that proposes, whose tokenizer may be another; the one that solves unless said. */
  proposer: z.string().min(1).optional(),
  /** Of the frozen evaluator; where the specification says it, it need not be said. */
  judge: z.string().min(1).optional(),
  /** URL of the server that samples a solver's answers, which are not paid then. */
  generate: z.string().refine(isServerUrl, 'not an http or https URL').optional(),
  /** Folder that this server reads under the same path, for the adapters that it is given; one in the peer's folder unless said. */
  'generate-adapters': z.string().min(1).optional(),
  /** Folder of downloaded models. */
  models: z.string().min(1).optional(),
  hub: z.url({ protocol: /^https?$/, error: 'not an http or https URL' }).optional(),
  /** `auto`: what waggle devices shows as taken for chat models, the CPU for the starter models, which no GPU makes faster. */
  device: z.enum(['auto', ...devices]).default('auto'),
  /** Threads of a model's session. One, so that many peers share a machine; more for a peer alone. */
  threads: z.coerce.number().int().min(1).max(256).default(1),
  /** Rank of a LoRA adapter that a solver trains instead of the weights; 0 for all weights. Unless said, see `usualAdapter`. A proposer trains one if it is said. */
  lora: z.coerce.number().int().min(0).max(4096).optional(),
  /** Twice the rank unless said, as is usual. */
  'lora-alpha': z.coerce.number().positive().max(1e6).optional(),
  /** Linear modules of the layers, by commas; all unless said. */
  'lora-targets': z
    .string()
    .regex(/^[a-z_]+(,[a-z_]+)*$/, 'not names of modules, separated by commas')
    .optional(),
  /** Of the frozen layers under an adapter, float32 unless said: 8 bits take a quarter of the memory's bandwidth and a third of the time. */
  'lora-base': z.enum(basePrecisions).optional(),
  /** OWNER/NAME on the hub, where a solver's policy is published. */
  push: z.string().refine(isRepoName, 'not OWNER/NAME').optional(),
  /** Rounds from one push to the next. */
  'push-every': z.coerce.number().int().min(1).max(100_000).optional(),
  /** Of `/health`, `/ready` and `/metrics`, on loopback. Off: a port that nobody asked for is one more to mind. */
  'metrics-port': z.coerce.number().int().min(0).max(65_535).optional(),
  'log-level': z.enum(logLevels).default('info'),
  'log-format': z.enum(['pretty', 'json']).default('pretty'),
  /** Off: a service manager keeps what is printed. */
  'log-file': z.boolean().default(false),
})

export type Config = z.infer<typeof configSchema> & { data: string }

/**
 * Settings of a peer, whose folder is brought to this release's format first.
 *
 * @param flags - what the command line says; `undefined` where it says nothing. `data` names the peer's folder.
 * @param migrate - brings the folder to this release's format.
 * @throws {UsageError} that names the file and the field.
 * @throws {FolderTooNewError} if a newer release wrote the folder.
 */
export function loadConfig(
  { data, ...flags }: Record<string, unknown>,
  migrate: typeof migrateFolder = migrateFolder,
): Config {
  const folder = resolve(String(data))
  migrate(folder, line => console.error(line))
  const path = join(folder, SETTINGS_FILE)
  const file = existsSync(path) ? readYaml(path) : {}
  const said = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))
  const parsed = configSchema.safeParse({ ...file, ...said })
  if (parsed.success) return { ...parsed.data, data: folder }
  const problems = parsed.error.issues.flatMap(issue => problemsOf(issue, file, said))
  const fromFile = parsed.error.issues.some(({ path: [field] }) => field === undefined || !(field in said))
  throw new UsageError(`Bad ${fromFile ? `setting in ${path}` : 'option'}: ${problems.join('; ')}.`, {
    hint: fromFile ? 'Correct that file.' : 'See --help.',
  })
}

type Settings = Record<string, unknown>

function problemsOf(issue: z.core.$ZodIssue, file: Settings, said: Settings): string[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map(key => unknownSetting(key, Object.keys(configSchema.shape)))
  const setting = String(issue.path[0])
  const name = setting in said ? `--${setting === 'bootnodes' ? 'bootnode' : setting}` : setting
  return [settingProblem(name, issue, { ...file, ...said }[setting])]
}

function readYaml(path: string): Settings {
  try {
    return z.record(z.string(), z.unknown()).parse(parse(readFileSync(path, 'utf8')) ?? {})
  } catch (cause) {
    throw new UsageError(`${path} is not YAML with one setting a line.`, {
      hint: 'Correct it, or move it away.',
      cause,
    })
  }
}
