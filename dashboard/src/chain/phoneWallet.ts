import { type CreateConnectorFn, createConnector } from '@wagmi/core'
import { UniversalProvider } from '@walletconnect/universal-provider'
import { type Address, type Chain, getAddress, numberToHex, UserRejectedRequestError } from 'viem'
import type { WalletRelay } from '#sources/network.ts'
import { PHONE_WALLET } from './wallet.ts'

/** The wallet methods that pages use. */
const METHODS = ['eth_sendTransaction', 'wallet_switchEthereumChain', 'wallet_addEthereumChain']
const EVENTS = ['accountsChanged', 'chainChanged']
/** WalletConnect's code for a rejection by the user, like 4001 of EIP-1193. */
const REFUSED = 5000

type Provider = InstanceType<typeof UniversalProvider>

/** One connection to the relay for a page, however often a wallet is connected. */
let opened: Promise<Provider> | undefined

/** Connects to the relay only: no telemetry, and none of the vendor's frames in the page. */
async function open({ projectId, url }: WalletRelay): Promise<Provider> {
  const { origin } = window.location
  const metadata = { name: 'Waggle', description: 'A swarm of models', url: origin, icons: [`${origin}/icon.svg`] }
  const relay = url === null ? {} : { relayUrl: url }
  const provider = await UniversalProvider.init({
    ...relay,
    projectId,
    metadata,
    telemetryEnabled: false,
    disableProviderPing: true,
  })
  provider.client.core.verify.register = async () => ''
  return provider
}

/**
 * A wallet on a phone or another device, behind a WalletConnect relay.
 *
 * @param onLink - called with each link that the wallet has to open or scan.
 */
export function phoneWallet(relay: WalletRelay, onLink: (link: string) => void = () => undefined): CreateConnectorFn {
  return createConnector<Provider>(({ chains: [chain], emitter }) => {
    const name = `eip155:${chain.id}`
    const getProvider = () => {
      opened ??= open(relay).catch(cause => {
        opened = undefined
        throw cause
      })
      return opened
    }
    const listen = ({ events }: Provider) => {
      for (const event of ['accountsChanged', 'chainChanged', 'session_delete']) events.removeAllListeners(event)
      events.on('accountsChanged', (accounts: string[]) => emitter.emit('change', { accounts: addresses(accounts) }))
      events.on('chainChanged', (chainId: string) => emitter.emit('change', { chainId: Number(chainId) }))
      events.on('session_delete', () => emitter.emit('disconnect'))
    }
    const getAccounts = async () => {
      const approved: string[] = (await getProvider()).session?.namespaces.eip155?.accounts ?? []
      return addresses(approved.map(account => account.split(':')[2] ?? ''))
    }
    const getChainId = async () => Number(await (await getProvider()).request({ method: 'eth_chainId' }))
    return {
      ...{ id: PHONE_WALLET, name: 'A wallet on a phone', type: PHONE_WALLET },
      ...{ getProvider, getAccounts, getChainId },
      isAuthorized: async () => (await getProvider()).session !== undefined,
      async connect() {
        const provider = await getProvider()
        if (provider.session === undefined) {
          provider.once('display_uri', onLink)
          const asked = { chains: [name], methods: METHODS, events: EVENTS, rpcMap: { [chain.id]: rpcOf(chain) } }
          await provider.connect({ optionalNamespaces: { eip155: asked } }).catch(asRefusal)
        }
        listen(provider)
        const approved: string[] = provider.session?.namespaces.eip155?.accounts ?? []
        if (approved.some(account => account.startsWith(`${name}:`))) provider.setDefaultChain(name)
        // Wagmi's type asks for objects where capabilities are asked for, which nothing here does.
        return { accounts: (await getAccounts()) as never, chainId: await getChainId() }
      },
      async disconnect() {
        const provider = await getProvider()
        if (provider.session !== undefined) await provider.disconnect()
      },
      async switchChain() {
        await switchTo(await getProvider(), chain)
        return chain
      },
      onAccountsChanged: () => undefined,
      onChainChanged: () => undefined,
      onDisconnect: () => undefined,
    }
  })
}

async function switchTo(provider: Provider, chain: Chain): Promise<void> {
  const chainId = numberToHex(chain.id)
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
  } catch (cause) {
    if (isRefusal(cause)) throw new UserRejectedRequestError(cause as Error)
    // Adds the chain to a wallet that does not know it.
    const { name: chainName, nativeCurrency } = chain
    const params = [{ chainId, chainName, nativeCurrency, rpcUrls: [rpcOf(chain)] }]
    await provider.request({ method: 'wallet_addEthereumChain', params }).catch(asRefusal)
    provider.setDefaultChain(`eip155:${chain.id}`, rpcOf(chain))
  }
}

const rpcOf = (chain: Chain): string => chain.rpcUrls.default.http[0] ?? ''

const addresses = (accounts: readonly string[]): Address[] => [...new Set(accounts.map(account => getAddress(account)))]

const isRefusal = (cause: unknown): boolean =>
  (cause as { code?: unknown }).code === REFUSED || (cause as { code?: unknown }).code === UserRejectedRequestError.code

function asRefusal(cause: unknown): never {
  throw isRefusal(cause) ? new UserRejectedRequestError(cause as Error) : cause
}
