import { getConnection, simulateContract, switchChain, writeContract } from '@wagmi/core'
import {
  type Abi,
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  type Hex,
  UserRejectedRequestError,
} from 'viem'
import { waitForTransactionReceipt } from 'viem/actions'
import type { Chain } from './ChainProvider.tsx'
import { untilSettled } from './followWallet.ts'
import type { Outcome, Transaction } from './transactions.ts'

/** A state-changing contract call. */
export interface Call {
  /** For people: `Bet 1 Nectar on primes in game 3`. No other call of an account has the same name. */
  what: string
  address: Address
  abi: Abi
  functionName: string
  args: readonly unknown[]
  /** Value sent with the call, wei. */
  value?: bigint
  /** Called right before the wallet: a reason not to send it, or null. */
  unless?: () => Promise<string | null>
}

export type Sent = { ok: true; hash: Hex } | { ok: false; why: string }

/**
 * Simulates a call, then lets the wallet sign and send it. A call that would revert is never signed.
 *
 * A wallet on another chain is asked to switch first.
 */
export async function sendCall({ config, network }: Chain, { what: _, unless, ...call }: Call): Promise<Sent> {
  try {
    const { address: account, chainId } = getConnection(config)
    if (account === undefined) return { ok: false, why: 'Connect an account first.' }
    if (chainId !== network.chainId) await switchChain(config, { chainId: network.chainId })
    const why = await unless?.()
    if (why) return { ok: false, why }
    const { request } = await simulateContract(config, { ...call, account, chainId: network.chainId })
    return { ok: true, hash: await writeContract(config, request) }
  } catch (cause) {
    return { ok: false, why: whyNot(cause) }
  }
}

/**
 * Waits until a call is in a block, or is replaced by another: wallets can cancel or speed up pending transactions. A chain that does not
 * answer is polled again.
 */
export async function outcomeOf({ config }: Pick<Chain, 'config'>, hash: Hex): Promise<Outcome> {
  const client = config.getClient()
  for (;;) {
    let isAnother = false
    const onReplaced = ({ reason }: { reason: string }) => {
      isAnother = reason !== 'repriced'
    }
    try {
      // Not wagmi's function, which throws for a reverted call.
      const { status } = await waitForTransactionReceipt(client, { hash, timeout: 0, onReplaced })
      if (isAnother) return 'replaced'
      return status === 'success' ? 'mined' : 'reverted'
    } catch {
      await new Promise(resolve => setTimeout(resolve, client.pollingInterval))
    }
  }
}

/** A transaction that this chain never gets to see would keep its button busy. */
const LATE_MS = 120_000
/** For the outcome of a transaction that was sent earlier: its block may be a moment old. */
const EARLIER_MS = 3_000
const lateAfter = (ms: number) => new Promise<'late'>(resolve => setTimeout(resolve, ms, 'late'))

/**
 * Sends calls one after another, each once the one before is in a block, and waits for the last one too: until then the chain's newest block, by which
 * calls are simulated, would let the same call be signed again. For the same reason a call waits for those of its name and account that are in no block yet.
 *
 * @param waitingFor - hashes of the transactions of a name and an account that wait for their block.
 * @returns why not all of them were done; null if they were.
 */
export async function sendInOrder(
  chain: Chain,
  made: readonly Call[] | (() => Promise<readonly Call[]>),
  follow: (sent: Omit<Transaction, 'state'>) => void,
  waitingFor: (call: Omit<Transaction, 'hash' | 'state'>) => readonly Hex[] = () => [],
): Promise<string | null> {
  const { address: account } = getConnection(chain.config)
  if (!(await untilSettled(chain.config)))
    return 'The wallet of your last visit does not answer: disconnect, then connect it again.'
  const calls = typeof made === 'function' ? await made().catch(whyNot) : made
  if (typeof calls === 'string') return calls
  for (const [index, call] of calls.entries()) {
    if (getConnection(chain.config).address !== account)
      return `The wallet has switched to another account: “${call.what}” was not sent.`
    const earlier = Promise.all(waitingFor({ what: call.what, account }).map(hash => outcomeOf(chain, hash)))
    const ended = await Promise.race([earlier, lateAfter(EARLIER_MS)])
    if (ended === 'late')
      return `“${call.what}” was sent before, and is not in a block yet. If you cancelled it in your wallet, choose “Forget them” in the list of your transactions.`
    if (ended.includes('mined')) return `“${call.what}” has just been done. Try again to do it once more.`
    const sent = await sendCall(chain, call)
    if (!sent.ok) return sent.why
    follow({ hash: sent.hash, what: call.what, account })
    const outcome = await Promise.race([outcomeOf(chain, sent.hash), lateAfter(LATE_MS)])
    if (outcome === 'mined') continue
    const next = calls[index + 1]
    const became = outcome === 'late' ? 'is not in a block yet' : 'was not done'
    return `“${call.what}” ${became}${next === undefined ? '' : `, so “${next.what}” was not sent`}.`
  }
  return null
}

function whyNot(cause: unknown): string {
  if (!(cause instanceof BaseError)) return cause instanceof Error ? cause.message : 'The wallet did not answer.'
  if (cause.walk(error => error instanceof UserRejectedRequestError)) return 'The wallet refused. Nothing was sent.'
  const revert = cause.walk(error => error instanceof ContractFunctionRevertedError)
  if (revert instanceof ContractFunctionRevertedError)
    return `The contract would refuse it: ${revert.data?.errorName ?? revert.reason ?? 'it gave no reason'}${revert.data?.args ? ` (${revert.data.args.join(', ')})` : ''}.`
  return cause.shortMessage
}
