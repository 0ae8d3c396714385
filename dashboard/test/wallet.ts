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
