import { type KnownNetwork, knownNetworks } from '@waggle/deployments/networks'
import { z } from 'zod'
import { feeSettings } from '#chain/outbox/feeSettings.ts'
import { logLevels } from '#core/logger.ts'
import { HUB_URL } from '#hub/hubClient.ts'
import { areHttpUrls } from '../environment.ts'

const known: Readonly<Record<string, KnownNetwork>> = knownNetworks

export const httpUrl = z.url({ protocol: /^https?$/, error: 'not an http or https URL' })

/** The folder of a peer, if none is named. */
export const PEER_FOLDER = '.waggle/peer'

export const folderSetting = {
  data: z.string().default(PEER_FOLDER).meta({ value: 'DIR', description: "the peer's folder" }),
}

/** The chain and its endpoint. */
export const chainSettings = {
  network: z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/, 'not the name of a network')
    .optional()
    .meta({
      value: 'NAME',
      description: `${Object.keys(known).join(', ')}, or another record in deployments/ (default local)`,
    }),
  deployment: z.string().min(1).optional().meta({
    value: 'FILE',
    description: "path of a deployment's record (default: by network, or WAGGLE_DEPLOYMENT if no network is named)",
  }),
  rpc: z
    .string()
    .refine(areHttpUrls, 'not an http or https URL, or several by commas')
    .optional()
    .meta({
      value: 'URL[,URL]',
      description: `RPC endpoint of its chain; with several, one is queried and all are compared (default: the network's variable, such as ${known.sepolia?.urlVariable}, else WAGGLE_RPC_URL, else a public endpoint)`,
    }),
}

/** The peer that a command is about, and its chain. */
export const peerOnChain = { ...folderSetting, ...chainSettings }

/** For commands that read a peer's folder only to find the record of a local deployment. */
export const deploymentSettings = {
  ...chainSettings,
  data: z.string().default(PEER_FOLDER).meta({
    value: 'DIR',
    description: "the peer's folder, where a local deployment's record is",
  }),
}

/** For commands that an owner's key signs. */
export const ownerSettings = { ...deploymentSettings, ...feeSettings }

/** Sources of models. */
export const hubSettings = {
  models: z.string().min(1).optional().meta({
    value: 'DIR',
    description: 'folder of downloaded models (default WAGGLE_MODELS, else ~/.cache/waggle/models)',
  }),
  hub: httpUrl.optional().meta({
    value: 'URL',
    description: `a hub other than ${HUB_URL}; HF_TOKEN in the environment is the access token for private and gated repositories`,
  }),
}

export const LOG_FILE = { path: 'log/waggle.log', megabytes: 10, files: 5 } as const

export const logSettings = {
  'log-level': z.enum(logLevels).default('info').meta({ value: 'LEVEL', description: 'debug, info, warn or error' }),
  'log-format': z.enum(['pretty', 'json']).default('pretty').meta({ value: 'FORMAT', description: 'pretty or json' }),
  // Off by default: a service manager keeps stdout.
  'log-file': z
    .boolean()
    .default(false)
    .meta({
      description: `also write the log to ${LOG_FILE.path} in the folder, ${LOG_FILE.files} files of ${LOG_FILE.megabytes} MB`,
    }),
}
