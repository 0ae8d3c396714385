import { type Abi, decodeFunctionData, formatEther } from 'viem'
import type { Contracts } from '#chain/contracts.ts'
import { roleName } from '#chain/governance/powers.ts'
import type { TimelockCall } from '#chain/governance/timelock.ts'
import type { Hex } from '#core/hex.ts'

// biome-ignore lint/suspicious/noExplicitAny: what the ABI decodes, by position
type Words = (args: any[], name: string, contracts: Contracts) => string

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
  admitEvaluator: ([peerKey]) => `gives the peer ${peerKey} a seat of the bootstrap`,
  removeEvaluator: ([peerKey]) => `takes the seat of the bootstrap from the peer ${peerKey}`,
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

/** Describes a call from its bytes; an unknown call is described as unknown. */
export function describeCall(
  contracts: Contracts,
  names: ReadonlyMap<string, string>,
  { target, value, data }: TimelockCall,
): string {
  const coin = value === 0n ? '' : `sends ${formatEther(value)} of the chain's coin to ${target}`
  if (data === '0x') return coin || `calls ${target} with nothing`
  const words = inWords(contracts, names.get(target.toLowerCase()), target, data)
  return coin === '' ? words : `${coin}, and ${words}`
}

function inWords(contracts: Contracts, name: string | undefined, target: Hex, data: Hex): string {
  const unread = `calls ${name ?? target} with ${data.slice(0, 10)}… of ${(data.length - 2) / 2} bytes, which this release cannot read: do not execute what you have not read`
  const found = Object.values(contracts).find(
    one => typeof one === 'object' && one.address.toLowerCase() === target.toLowerCase(),
  )
  if (typeof found !== 'object' || name === undefined) return unread
  try {
    const { functionName, args = [] } = decodeFunctionData({ abi: found.abi as Abi, data })
    const sentence = sentences[functionName]
    const said = sentence ? sentence([...args], name, contracts) : `calls ${name}.${functionName}(${args.join(', ')})`
    // Control characters in a proposer's text could steer the reader's terminal.
    return said.replace(/[^\x20-\x7e]/g, '?')
  } catch {
    return unread
  }
}
