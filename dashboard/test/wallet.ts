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

type Answer = { result: unknown } | { refused: true } | { failed: string }

/** Actions of a reader in the wallet, and the requests to it. */
export interface Signer {
  /** Chooses another account, which the page is told. */
  choose: (account: LocalAccount) => Promise<void>
  /** The reader refuses this method from now on, or no longer. */
  refuse: (method: string | null) => void
  /** Methods that the reader had to decide on. */
  readonly decided: readonly string[]
}

/**
 * A wallet that signs: an EIP-1193 provider in the page, whose account and key are here. It begins on another chain, and switches
 * when it is asked to.
 */
export async function injectSigner(page: Page, rpcUrl: string, first: LocalAccount): Promise<Signer> {
  const client = createWalletClient({ transport: http(rpcUrl) })
  const own = await client.getChainId()
  const decided: string[] = []
  let [chainId, account, refused] = [1, first, null as string | null]
  const emit = (event: string, value: unknown) =>
    page.evaluate(([event, value]) => (globalThis as unknown as Injected).waggleEmit(event as string, value), [
      event,
      value,
    ] as const)
  const signer: Signer = {
    decided,
    async choose(chosen) {
      account = chosen
      await emit('accountsChanged', [chosen.address])
    },
    refuse(method) {
      refused = method
    },
  }
  async function answer({ method, params = [] }: Request): Promise<unknown> {
    if (method === 'eth_requestAccounts' || method === 'eth_accounts') return [account.address]
    if (method === 'eth_chainId') return numberToHex(chainId)
    if (method === 'wallet_switchEthereumChain') {
      chainId = Number((params[0] as { chainId: string }).chainId)
      await emit('chainChanged', numberToHex(chainId))
      return null
    }
    if (method === 'eth_sendTransaction') {
      if (chainId !== own) throw new Error(`the wallet is on chain ${chainId}`)
      const { from, to, data, value = '0x0' } = params[0] as { from: Hex; to: Hex; data: Hex; value?: Hex }
      if (from.toLowerCase() !== account.address.toLowerCase()) throw new Error(`${from} is not the chosen account`)
      return client.sendTransaction({ account, to, data, value: BigInt(value), chain: null })
    }
    return client.request({ method, params } as never)
  }
  await page.exposeFunction('waggleWallet', async (request: Request): Promise<Answer> => {
    if (/^(eth_sendTransaction|wallet_)/.test(request.method)) decided.push(request.method)
    if (request.method === refused) return { refused: true }
    return answer(request).then(
      result => ({ result }),
      error => ({ failed: String(error) }),
    )
  })
  await page.addInitScript(() => {
    const listeners = new Map<string, Set<(value: unknown) => void>>()
    const scope = globalThis as unknown as Injected
    scope.waggleEmit = (event, value) => {
      for (const listener of listeners.get(event) ?? []) listener(value)
    }
    Object.assign(globalThis, {
      ethereum: {
        async request(request: Request) {
          const answer = await scope.waggleWallet(request)
          if ('result' in answer) return answer.result
          if ('failed' in answer) throw new Error(answer.failed)
          // EIP-1193's code where a person refuses.
          throw Object.assign(new Error('User rejected the request.'), { code: 4001 })
        },
        on: (event: string, listener: (value: unknown) => void) =>
          listeners.set(event, (listeners.get(event) ?? new Set()).add(listener)),
        removeListener: (event: string, listener: (value: unknown) => void) => listeners.get(event)?.delete(listener),
      },
    })
  })
  return signer
}

interface Injected {
  waggleWallet: (request: Request) => Promise<Answer>
  waggleEmit: (event: string, value: unknown) => void
}
