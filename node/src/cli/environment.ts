import { homedir } from 'node:os'
import { type KnownNetwork, knownNetworks } from '@waggle/deployments/networks'
import { splitUrls } from '#core/redactUrls.ts'
import { UsageError } from './usageError.ts'

/** Undefined if the variable is not set, or empty. */
function read(variable: string): string | undefined {
  return process.env[variable] || undefined
}

/** Whether a text is an http or https URL, or several, separated by commas. */
export function areHttpUrls(text: string): boolean {
  const urls = splitUrls(text)
  return urls.length > 0 && urls.every(url => /^https?:$/.test(URL.parse(url)?.protocol ?? ''))
}

/**
 * The environment variables of the node, read here only: paths, and secrets that a command line would show to every user of
 * the machine. Errors name a variable and never quote its value.
 */
export const environment = {
  /** Path of a deployment's record; the indexer and the dashboard use the same variable. */
  deployment: () => read('WAGGLE_DEPLOYMENT'),

  /** Folder of downloaded models. */
  models: () => read('WAGGLE_MODELS'),

  /** Access token of the Hugging Face hub, in the variable of its own tools. */
  hubToken: () => read('HF_TOKEN'),

  /** Key of an OpenAI-compatible server, in the variable of its clients. */
  serverKey: () => read('OPENAI_API_KEY'),

  /**
   * Webhooks that receive a peer's alerts, separated by commas; each URL is a credential.
   *
   * @throws {UsageError} if the variable is not a list of http or https URLs.
   */
  alertUrls(): string[] {
    const urls = read('WAGGLE_ALERT_URL')
    if (urls === undefined) return []
    if (areHttpUrls(urls)) return splitUrls(urls)
    throw new UsageError('WAGGLE_ALERT_URL is not an http or https URL.', { hint: 'Correct it, or unset it.' })
  },

  /** Seconds that slow answers may take a reading command in all. @throws {UsageError} */
  patienceSec(): number {
    const text = read('WAGGLE_PATIENCE') ?? '120'
    if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
    throw new UsageError('WAGGLE_PATIENCE is not a number of seconds.', { hint: 'Set it to 120, for example.' })
  },

  /** Passphrase of a backup made or restored without a terminal. */
  backupPassphrase: () => read('WAGGLE_BACKUP_PASSPHRASE'),

  /** Invitation of a sponsor, which the sponsor requires and a peer sends. */
  sponsorToken: () => read('WAGGLE_SPONSOR_TOKEN'),

  home: () => homedir(),

  /**
   * RPC endpoints, separated by commas: from the network's own variable, else from `WAGGLE_RPC_URL`.
   *
   * @throws {UsageError} if the variable is not a list of http or https URLs.
   */
  rpcUrl(network: string): string | undefined {
    const known: Record<string, KnownNetwork> = knownNetworks
    const variables = [known[network]?.urlVariable, 'WAGGLE_RPC_URL'].filter(name => name !== undefined)
    const variable = variables.find(name => read(name) !== undefined)
    const url = variable === undefined ? undefined : read(variable)
    if (url !== undefined && !areHttpUrls(url))
      throw new UsageError(`${variable} is not an http or https URL.`, { hint: 'Correct it, or unset it.' })
    return url
  },

  /** Private key of the account that deployed. @throws {UsageError} */
  deployerKey(): `0x${string}` {
    const key = read('WAGGLE_DEPLOYER_KEY')
    if (key !== undefined && /^0x[0-9a-fA-F]{64}$/.test(key)) return key as `0x${string}`
    throw new UsageError(`WAGGLE_DEPLOYER_KEY is ${key === undefined ? 'not set' : 'not 0x and 64 hex digits'}.`, {
      hint: 'Set it to the private key of the account that may do this (npx waggle owner show lists who may).',
    })
  },

  /** The same, or null if the variable is not set. */
  deployerKeyIfSet(): `0x${string}` | null {
    return read('WAGGLE_DEPLOYER_KEY') === undefined ? null : environment.deployerKey()
  },
}
