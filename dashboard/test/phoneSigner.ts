import { SignClient } from '@walletconnect/sign-client'
import { createWalletClient, type Hex, http, type LocalAccount } from 'viem'

const PROJECT = 'a test'

/** A request of the wallet to its owner. */
type Request = { method: string; params: Record<string, string>[] }

/**
 * A wallet on another device, reached through a relay alone. It begins on another chain than the pages', which it lets itself be
 * switched from, and signs with a real key.
 */
export async function openPhone(relayUrl: string, rpcUrl: string, account: LocalAccount) {
  const storageOptions = { database: ':memory:' }
  const metadata = { name: 'A phone', description: '', url: 'http://phone.test', icons: [] }
  const client = await SignClient.init({
    relayUrl,
    projectId: PROJECT,
    storageOptions,
    metadata,
    telemetryEnabled: false,
  })
  const signer = createWalletClient({ account, transport: http(rpcUrl) })
  const own = await signer.getChainId()
  let topic = ''
  const namespaces = (chainIds: number[]) => ({
    eip155: {
      accounts: chainIds.map(chainId => `eip155:${chainId}:${account.address}`),
      methods: ['eth_sendTransaction', 'wallet_switchEthereumChain', 'wallet_addEthereumChain'],
      events: ['accountsChanged', 'chainChanged'],
    },
  })

  async function answer({ method, params }: Request, chainId: string): Promise<unknown> {
    const [asked] = params
    if (method === 'wallet_switchEthereumChain') {
      if (Number(asked?.chainId) !== own) throw new Error(`this wallet does not know chain ${asked?.chainId}`)
      await (await client.update({ topic, namespaces: namespaces([1, own]) })).acknowledged()
      return null
    }
    if (method !== 'eth_sendTransaction' || chainId !== `eip155:${own}`) throw new Error(`${method} on ${chainId}`)
    const { to, data, value = '0x0' } = asked as { to: Hex; data: Hex; value?: Hex }
    return signer.sendTransaction({ to, data, value: BigInt(value), chain: null })
  }

  client.on('session_request', ({ id, params: { request, chainId } }) => {
    const respond = (response: { result: unknown } | { error: { code: number; message: string } }) =>
      client.respond({ topic, response: { id, jsonrpc: '2.0', ...response } as never })
    void answer(request as Request, chainId).then(
      result => respond({ result }),
      cause => respond({ error: { code: 4902, message: String(cause) } }),
    )
  })

  return {
    /** Scans a link, and approves what it asks for on another chain than it asks for. */
    async approve(uri: string): Promise<void> {
      const proposed = new Promise<number>(resolve => client.once('session_proposal', ({ id }) => resolve(id)))
      await client.pair({ uri })
      const { topic: settled, acknowledged } = await client.approve({ id: await proposed, namespaces: namespaces([1]) })
      topic = settled
      await acknowledged()
    },
    /** Resolves when the page has ended the session. */
    ended: new Promise<void>(resolve => client.once('session_delete', () => resolve())),
    close: () => client.core.relayer.transportClose(),
  }
}
