import { knownNetworks } from '@waggle/deployments/networks'
import type { Deployment } from '@waggle/deployments/record'
import { formatEther, numberToHex, parseEther } from 'viem'
import { callChain } from '#chain/callChain.ts'
import { connectChain } from '#chain/connectChain.ts'
import { costWei, REGISTRATION_GAS, ROUND_GAS } from '#chain/peers/gasOfPeer.ts'
import type { Hex } from '#core/hex.ts'
import type { Patience } from '#core/patience.ts'
import { splitUrls } from '#core/redactUrls.ts'

/** Rounds that the suggested amount pays for. */
const ROUNDS = 200
/** Pays for far more than a year of rounds. */
const LOCAL_FUNDS_WEI = parseEther('10')

type Question = { deployment: Deployment; rpcUrl: string; patience?: Patience; address: Hex }

/**
 * `funded`: the account has coin. `given`: the local chain has just given it coin. `empty`: it needs `needed` of the chain's coin for
 * `rounds` rounds at the current gas price.
 */
export type Funding =
  | { status: 'funded' | 'given'; balance: string }
  | { status: 'empty'; needed: string; rounds: number }

/**
 * Checks whether an account can pay for gas. On a local chain it is given coin through the development RPC.
 *
 * @throws {ChainUnreachableError | WrongChainError | ContractMissingError}
 */
export async function fundAccount({ deployment, rpcUrl, patience, address }: Question): Promise<Funding> {
  const chain = await connectChain({ deployment, rpcUrl, patience })
  const ask = <T>(work: () => Promise<T>) => callChain(chain.rpcUrl, work)
  const balanceWei = await ask(() => chain.rpc.getBalance({ address }))
  if (balanceWei > 0n) return { status: 'funded', balance: formatEther(balanceWei) }
  if (deployment.chainId === knownNetworks.local.chainId && splitUrls(rpcUrl).every(isLoopback)) {
    const params = [address, numberToHex(LOCAL_FUNDS_WEI)]
    // Anvil and Hardhat both know it by this name.
    await ask(() => chain.rpc.request({ method: 'hardhat_setBalance', params } as never))
    return { status: 'given', balance: formatEther(LOCAL_FUNDS_WEI) }
  }
  const gasPriceWei = await ask(() => chain.rpc.getGasPrice())
  const neededWei = costWei(REGISTRATION_GAS + BigInt(ROUNDS) * ROUND_GAS, gasPriceWei)
  return { status: 'empty', needed: roundUp(formatEther(neededWei)), rounds: ROUNDS }
}

function isLoopback(url: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(URL.parse(url)?.hostname ?? '')
}

/** Two significant digits are enough for the sender. */
function roundUp(amount: string): string {
  const digits = /[1-9]/.exec(amount.replace('.', ''))
  if (digits === null) return amount
  const scale = 10 ** (Math.floor(Math.log10(Number(amount))) - 1)
  return String(Number((Math.ceil(Number(amount) / scale) * scale).toPrecision(2)))
}
