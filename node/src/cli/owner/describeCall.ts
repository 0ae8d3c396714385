import { type Abi, decodeFunctionData, formatEther } from 'viem'
import type { Contracts } from '#chain/contracts.ts'
import { roleName } from '#chain/governance/powers.ts'
import type { TimelockCall } from '#chain/governance/timelock.ts'
import type { Hex } from '#core/hex.ts'
import { peerName } from '#core/peers/peerName.ts'

// biome-ignore lint/suspicious/noExplicitAny: what the ABI decodes, by position
type Words = (args: any[], name: string, contracts: Contracts, peerIds: PeerIds) => string

/** Peer ids by key, of registered peers. */
export type PeerIds = ReadonlyMap<Hex, string>

/** Descriptions of every call that needs a power of docs/protocol.md. */
const sentences: Readonly<Record<string, Words>> = {
  setEnvironment: ([round, hash]) =>
    `rounds from ${round} on are played in the environment ${hash}; what was announced for later ones is void`,
  setSchedule: ([round, seconds]) =>
    `rounds from ${round} on last ${seconds} s; what was announced for later ones is void`,
  advanceRound: () => 'ends the round that runs',
  updateStageAndRound: () => "announces the round to RL Swarm's nodes; under a manual schedule, ends it",
  setBootnodes: ([addresses]) =>
    addresses.length === 0 ? 'the list of bootnodes is empty' : `newcomers dial ${addresses.join(', ')}`,
  admitEvaluator: ([peerKey], _, __, peerIds) => `gives the peer ${nameOf(peerKey, peerIds)} a seat of the bootstrap`,
  removeEvaluator: ([peerKey], _, __, peerIds) =>
    `takes the seat of the bootstrap from the peer ${nameOf(peerKey, peerIds)}`,
  grantRole: ([role, account], name, contracts) =>
    `gives ${account} the role ${roleName(contracts, role) ?? role} of ${name}`,
  revokeRole: ([role, account], name, contracts) =>
    `takes the role ${roleName(contracts, role) ?? role} of ${name} from ${account}`,
  renounceRole: ([role, account], name, contracts) =>
    `${account} gives up the role ${roleName(contracts, role) ?? role} of ${name}`,
  updateDelay: ([seconds]) => `later proposals wait ${seconds} s`,
  upgradeToAndCall: ([code, data], name) =>
    `${name} runs the code at ${code}${data === '0x' ? '' : `, and calls it with ${data}`}`,
  importLeaderboard: ([rows]) => `imports ${rows.length} rows of RL Swarm's leaderboard, from ${rows[0]?.peerId}`,
  transferOwnership: ([owner], name) => `makes ${owner} the owner of ${name}`,
  transfer: ([to, amount]) => `sends ${formatEther(amount)} Nectar to ${to}`,
}

/** As its operator knows it: people cannot compare a key with the peer id that they were told. */
function nameOf(peerKey: Hex, peerIds: PeerIds): string {
  const peerId = peerIds.get(peerKey)
  return peerId === undefined ? `${peerKey} (not registered)` : `${peerName(peerId)} (${peerId})`
}

/** Keys of the peers that a call is about. */
export function peersOf(abi: Abi, { data }: Pick<TimelockCall, 'data'>): Hex[] {
  try {
    const { functionName, args = [] } = decodeFunctionData({ abi, data })
    return functionName === 'admitEvaluator' || functionName === 'removeEvaluator' ? [args[0] as Hex] : []
  } catch {
    // A call of another contract, or of none.
    return []
  }
}

/** Describes a call from its bytes; an unknown call is described as unknown. */
export function describeCall(
  contracts: Contracts,
  names: ReadonlyMap<string, string>,
  { target, value, data }: TimelockCall,
  peerIds: PeerIds = new Map(),
): string {
  const coin = value === 0n ? '' : `sends ${formatEther(value)} of the chain's coin to ${target}`
  if (data === '0x') return coin || `calls ${target} with nothing`
  const words = inWords(contracts, names.get(target.toLowerCase()), { target, data }, peerIds)
  return coin === '' ? words : `${coin}, and ${words}`
}

function inWords(
  contracts: Contracts,
  name: string | undefined,
  { target, data }: Pick<TimelockCall, 'target' | 'data'>,
  peerIds: PeerIds,
): string {
  const unread = `calls ${name ?? target} with ${data.slice(0, 10)}… of ${(data.length - 2) / 2} bytes, which this release cannot read: do not execute what you have not read`
  const found = Object.values(contracts).find(
    one => typeof one === 'object' && one.address.toLowerCase() === target.toLowerCase(),
  )
  if (typeof found !== 'object' || name === undefined) return unread
  try {
    const { functionName, args = [] } = decodeFunctionData({ abi: found.abi as Abi, data })
    const sentence = sentences[functionName]
    const said = sentence
      ? sentence([...args], name, contracts, peerIds)
      : `calls ${name}.${functionName}(${args.join(', ')})`
    // Control characters in a proposer's text could steer the reader's terminal.
    return said.replace(/[^\x20-\x7e]/g, '?')
  } catch {
    return unread
  }
}
