import type { Page } from 'playwright-core'
import { createWalletClient, type Hex, http, type LocalAccount, numberToHex } from 'viem'

/** Runs in the page before it: a wallet with one account, as extensions inject it. */
export function injectWallet(account: string): void {
  const listeners = new Map<string, (value: unknown) => void>()
  const answers: Record<string, unknown> = {
    eth_requestAccounts: [account],
    eth_accounts: [account],
    eth_chainId: '0x7a69',
    wallet_requestPermissions: [{ caveats: [{ value: [account] }] }],
    wallet_revokePermissions: null,
  }
  const wallet = {
    isMetaMask: false,
    request: async ({ method }: { method: string }) => answers[method] ?? null,
    on: (event: string, listener: (value: unknown) => void) => listeners.set(event, listener),
    removeListener: (event: string) => listeners.delete(event),
  }
  Object.assign(globalThis, { ethereum: wallet })
}

interface Request {
  method: string
  params?: unknown[]
}

/**
 * A wallet that signs: an EIP-1193 provider in the page, whose account and key are here. It begins on another chain, and switches
 * when it is asked to.
 */
export async function injectSigner(page: Page, rpcUrl: string, account: LocalAccount): Promise<void> {
  const transport = http(rpcUrl)
  const client = createWalletClient({ account, transport })
  const own = await client.getChainId()
  let chainId = 1
  await page.exposeFunction('waggleWallet', async ({ method, params = [] }: Request) => {
    if (method === 'eth_requestAccounts' || method === 'eth_accounts') return [account.address]
    if (method === 'eth_chainId') return numberToHex(chainId)
    if (method === 'wallet_switchEthereumChain') {
      chainId = Number((params[0] as { chainId: string }).chainId)
      await page.evaluate(id => (globalThis as unknown as Injected).waggleChain(id), numberToHex(chainId))
      return null
    }
    if (method === 'eth_sendTransaction') {
      if (chainId !== own) throw new Error(`the wallet is on chain ${chainId}`)
      const { to, data, value = '0x0' } = params[0] as { to: Hex; data: Hex; value?: Hex }
      return client.sendTransaction({ to, data, value: BigInt(value), chain: null })
    }
    return client.request({ method, params } as never)
  })
  await page.addInitScript(() => {
    const listeners = new Map<string, Set<(value: unknown) => void>>()
    const scope = globalThis as unknown as Injected
    scope.waggleChain = id => {
      for (const listener of listeners.get('chainChanged') ?? []) listener(id)
    }
    Object.assign(globalThis, {
      ethereum: {
        request: (request: Request) => scope.waggleWallet(request),
        on: (event: string, listener: (value: unknown) => void) =>
          listeners.set(event, (listeners.get(event) ?? new Set()).add(listener)),
        removeListener: (event: string, listener: (value: unknown) => void) => listeners.get(event)?.delete(listener),
      },
    })
  })
}

interface Injected {
  waggleWallet: (request: Request) => Promise<unknown>
  waggleChain: (id: string) => void
}
