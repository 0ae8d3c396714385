import { homedir } from 'node:os'
import { type KnownNetwork, knownNetworks } from '@waggle/deployments/networks'
import { splitUrls } from '#core/redactUrls.ts'
import { UsageError } from './usageError.ts'

/** Set and not empty. */
function read(variable: string): string | undefined {
  return process.env[variable] || undefined
}

/** Whether a text is a URL of HTTP, or a list of them by commas. */
export function areHttpUrls(text: string): boolean {
  const urls = splitUrls(text)
  return urls.length > 0 && urls.every(url => /^https?:$/.test(URL.parse(url)?.protocol ?? ''))
}

/**
 * The environment, read nowhere else in the node: paths, and secrets that a command line would show to everybody on the
 * machine. What is wrong is named, never quoted.
 */
export const environment = {
  /** Path of a deployment's record, as the indexer and the dashboard take it too. */
  deployment: () => read('WAGGLE_DEPLOYMENT'),

  /** Folder of downloaded models. */
  models: () => read('WAGGLE_MODELS'),

  /** Access token of the Hugging Face hub, by the name that its own tools read. */
  hubToken: () => read('HF_TOKEN'),

  /** Key of the OpenAI-compatible server that a judge is asked on, by the name that its clients read. */
  serverKey: () => read('OPENAI_API_KEY'),

  /**
   * Webhooks that a peer tells what is wrong, several by commas; a URL of one is a credential.
   *
   * @throws {UsageError} if the variable holds no such URL.
   */
  alertUrls(): string[] {
    const urls = read('WAGGLE_ALERT_URL')
    if (urls === undefined) return []
    if (areHttpUrls(urls)) return splitUrls(urls)
    throw new UsageError('WAGGLE_ALERT_URL is not an http or https URL.', { hint: 'Correct it, or unset it.' })
  },

  /** Of a backup that is made or restored with nobody at the terminal. */
  backupPassphrase: () => read('WAGGLE_BACKUP_PASSPHRASE'),

  /** Invitation of a sponsor: what it asks for, and what a peer names. */
  sponsorToken: () => read('WAGGLE_SPONSOR_TOKEN'),

  home: () => homedir(),

  /**
   * RPC endpoint, or several by commas: of the network's own variable, else `WAGGLE_RPC_URL`.
   *
   * @throws {UsageError} if the variable holds no such URL.
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
      hint: 'Set it to the private key of the account that may seat evaluators.',
    })
  },
}
