import type { Deployment } from '@waggle/deployments/record'
import { type Abi, decodeFunctionData, type Hex, type PublicClient } from 'viem'
import { contractsOf } from '../../node/src/chain/contracts.ts'

/** A call that a peer may make only once: function, round and sender. */
export type SentCall = { account: Hex; call: string; data: Hex; hash: Hex; ok: boolean }

/** Calls that are final for a round: the chain refuses a second one with any arguments. */
const ONCE = new Set(['commitVotes', 'revealVotes', 'propose', 'commitSecret', 'open'])

/**
 * Calls sent more than once: the same bytes by the same account, or a second call of a kind allowed once per round.
 *
 * Peers that share an account could do so legitimately; each peer of a local swarm has its own.
 */
export function sentTwice(calls: readonly SentCall[]): SentCall[] {
  const seen = new Set<string>()
  return calls.filter(({ account, call, data }) => {
    const keys = [`${account} ${data}`, ...(ONCE.has(call.split(' ')[0] ?? '') ? [`${account} ${call}`] : [])]
    const isAgain = keys.some(key => seen.has(key))
    for (const key of keys) seen.add(key)
    return isAgain
  })
}

/** Every call of these accounts on the protocol's contracts that is of a round, in the order of the chain. */
export async function readCalls(
  client: PublicClient,
  deployment: Deployment,
  accounts: readonly Hex[],
): Promise<SentCall[]> {
  const abis = abisOf(deployment)
  const senders = new Set(accounts.map(account => account.toLowerCase()))
  const calls: SentCall[] = []
  const head = await client.getBlockNumber()
  for (let number = BigInt(deployment.contracts.Rounds.startBlock); number <= head; number++) {
    const { transactions } = await client.getBlock({ blockNumber: number, includeTransactions: true })
    for (const { from, to, input, hash } of transactions) {
      const abi = abis.get((to ?? '').toLowerCase())
      if (!senders.has(from.toLowerCase()) || abi === undefined) continue
      const call = nameOf(abi, input)
      if (call === null) continue
      const { status } = await client.getTransactionReceipt({ hash })
      calls.push({ account: from, call, data: input, hash, ok: status === 'success' })
    }
  }
  return calls
}

/** By address, in small letters. */
function abisOf(deployment: Deployment): Map<string, Abi> {
  return new Map(
    Object.values(contractsOf(deployment)).flatMap(contract =>
      typeof contract === 'object' && 'abi' in contract
        ? [[contract.address.toLowerCase(), contract.abi as Abi] as const]
        : [],
    ),
  )
}

/** `commitVotes 7 0`: the function, and the round and shard that it is of; null for a call that is of no round. */
function nameOf(abi: Abi, data: Hex): string | null {
  const { functionName, args = [] } = decodeFunctionData({ abi, data })
  const [first, second] = args
  if (typeof first === 'bigint') return `${functionName} ${first} ${typeof second === 'number' ? second : ''}`.trim()
  const place = placeOf(first)
  return place === null ? null : `${functionName} ${place.round} ${place.shard}`
}

/** A ballot, or what holds one. */
function placeOf(arg: unknown): { round: bigint; shard: number } | null {
  if (typeof arg !== 'object' || arg === null) return null
  if ('ballot' in arg) return placeOf(arg.ballot)
  return 'round' in arg && 'shard' in arg ? (arg as { round: bigint; shard: number }) : null
}
