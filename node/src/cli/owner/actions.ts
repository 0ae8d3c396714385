import { encodeFunctionData, isAddressEqual, parseEther, zeroAddress } from 'viem'
import { callChain } from '#chain/callChain.ts'
import { type Governed, governed, type Power, roleId, rolesOf } from '#chain/governance/powers.ts'
import { readGovernance } from '#chain/governance/readGovernance.ts'
import { readFunds } from '#chain/peers/transferFunds.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import { faultOfBootnode } from '#p2p/connections/bootnodeAddress.ts'
import { type Action, addressOf, adminOf, proposalOf, wholeOf } from './action.ts'
import { type OwnerSession, ProposalRefusedError } from './openOwner.ts'
import { roundActions } from './roundActions.ts'

const timelockItself: Power = { contract: 'TimelockController', role: 'itself' }
const seats: Power = { contract: 'RewardVotes', role: 'EVALUATOR_ADMIN_ROLE' }
/** A delay over a month cannot be corrected in time, and one under a minute gives nobody time to react. */
const DELAY_SEC = [60, 2_592_000] as const
/** Chain id of anvil, where every peer is on one machine. */
const LOCAL_CHAIN = 31_337

/** Every action of owners, by name; docs/protocol.md lists the powers. */
export const actions: Readonly<Record<string, Action>> = {
  ...roundActions,
  bootnodes: {
    takes: ['ADDRESS[,ADDRESS]|none'],
    summary: 'replace the list of bootnodes, the peers that newcomers dial first',
    async build([list = ''], context) {
      const addresses = list === 'none' ? [] : list.split(',')
      const isLocal = context.deployment.chainId === LOCAL_CHAIN
      for (const address of addresses) {
        const fault = faultOfBootnode(address, isLocal)
        if (fault !== null)
          throw new ProposalRefusedError(`${address} is not a bootnode's address: ${fault}.`, {
            hint: 'npx waggle bootnode prints its own.',
          })
      }
      const power: Power = { contract: 'PeerRegistry', role: 'BOOTNODE_MANAGER_ROLE' }
      return proposalOf(context, power, ['setBootnodes', addresses])
    },
  },
  admit: {
    takes: ['PEER_ID'],
    summary: 'give an evaluator a seat of the bootstrap',
    build: async ([peerId = ''], context) => proposalOf(context, seats, ['admitEvaluator', peerKeyOf(peerId)]),
  },
  remove: {
    takes: ['PEER_ID'],
    summary: 'take a seat of the bootstrap away',
    build: async ([peerId = ''], context) => proposalOf(context, seats, ['removeEvaluator', peerKeyOf(peerId)]),
  },
  grant: {
    takes: ['CONTRACT', 'ROLE', 'ADDRESS'],
    summary: 'give an account a role',
    async build([contract = '', role = '', address = ''], context) {
      const power = roleOf(context, contract, role)
      const account = addressOf(address)
      // OpenZeppelin's timelock lets anybody execute once nobody is named.
      if (account === zeroAddress && role !== 'EXECUTOR_ROLE')
        throw new ProposalRefusedError('The zero address cannot hold a role.', {
          hint: 'Name the account that gets the role.',
        })
      return proposalOf(context, adminOf(power.contract), ['grantRole', roleId(role), account])
    },
  },
  revoke: {
    takes: ['CONTRACT', 'ROLE', 'ADDRESS'],
    summary: 'take a role from an account; the last holder keeps it',
    async build([contract = '', role = '', address = ''], context) {
      const power = roleOf(context, contract, role)
      const account = addressOf(address)
      await requireOtherHolder(context, power, account)
      return proposalOf(context, adminOf(power.contract), ['revokeRole', roleId(role), account])
    },
  },
  renounce: {
    takes: ['CONTRACT', 'ROLE', 'ADDRESS'],
    summary: 'give up a role of your own account; the last holder keeps it',
    async build([contract = '', role = '', address = ''], context) {
      const power = roleOf(context, contract, role)
      const account = addressOf(address)
      await requireOtherHolder(context, power, account)
      return { ...proposalOf(context, power, ['renounceRole', roleId(role), account]), by: account }
    },
  },
  delay: {
    takes: ['SECONDS'],
    summary: 'change the delay of later proposals',
    build: async ([seconds = ''], context) =>
      proposalOf(context, timelockItself, ['updateDelay', BigInt(wholeOf('A delay of seconds', seconds, DELAY_SEC))]),
  },
  upgrade: {
    takes: ['ADDRESS'],
    summary: 'change the code of SwarmCoordinator to that of a contract deployed for this registry and clock',
    async build([address = ''], context) {
      const code = addressOf(address)
      await requireCoordinator(context, code)
      const power: Power = { contract: 'SwarmCoordinator', role: 'OWNER_ROLE' }
      return proposalOf(context, power, ['upgradeToAndCall', code, '0x'])
    },
  },
  'market-owner': {
    takes: ['ADDRESS'],
    summary: 'change who opens games at PrgMarket',
    build: async ([address = ''], context) =>
      proposalOf(context, { contract: 'PrgMarket', role: 'owner' }, ['transferOwnership', addressOf(address)]),
  },
  send: {
    takes: ['ADDRESS', 'AMOUNT', 'nectar|coin'],
    summary: 'send Nectar or coin of the timelock to an account',
    build: ([address = '', amount = '', unit = ''], context) => fundsOf(context, address, amount, unit),
  },
}

function roleOf({ contracts }: OwnerSession, contract: string, role: string): Power {
  const names = Object.keys(governed) as Governed[]
  const named = names.find(name => name === contract)
  const roles = named === undefined ? [] : rolesOf(contracts, named)
  if (named !== undefined && roles.includes(role)) return { contract: named, role }
  const [what, known] = roles.length === 0 ? ['contract with roles', names] : [`role of ${contract}`, roles]
  throw new ProposalRefusedError(`${roles.length === 0 ? contract : role} is not a ${what}.`, {
    hint: `Use one of ${known.filter(name => name !== 'PrgMarket').join(', ')}.`,
  })
}

async function requireOtherHolder({ client, contracts }: OwnerSession, power: Power, account: string): Promise<void> {
  const { powers } = await readGovernance(client, contracts)
  const holders = powers.filter(one => one.contract === power.contract && one.role === power.role)
  const isHeld = holders.some(({ holder }) => holder.toLowerCase() === account.toLowerCase())
  if (!isHeld)
    throw new ProposalRefusedError(`${account} does not hold ${power.role} of ${power.contract}.`, {
      hint: `It is held by ${holders.map(({ holder }) => holder).join(', ') || 'nobody'}.`,
    })
  if (holders.length > 1) return
  throw new ProposalRefusedError(`${account} is the last to hold ${power.role} of ${power.contract}.`, {
    hint: 'Grant it to another account first, and wait until that is executed: a role that no account holds may be lost for good.',
  })
}

/** The new code has to be a coordinator of the same swarm; the simulation checks that the proxy accepts it. */
async function requireCoordinator({ client, contracts }: OwnerSession, address: `0x${string}`): Promise<void> {
  const { rpc, rpcUrl } = client
  const code = await callChain(rpcUrl, () => rpc.getCode({ address }))
  if (code === undefined || code === '0x')
    throw new ProposalRefusedError(`There is no contract at ${address}.`, { hint: 'Deploy the new code first.' })
  const read = (functionName: 'peerRegistry' | 'rounds') =>
    rpc.readContract({ ...contracts.swarmCoordinator, address, functionName }).catch(() => zeroAddress)
  const [registry, rounds] = await Promise.all([read('peerRegistry'), read('rounds')])
  const { peerRegistry, rounds: clock } = contracts
  if (isAddressEqual(registry, peerRegistry.address) && isAddressEqual(rounds, clock.address)) return
  throw new ProposalRefusedError(`${address} is not code of SwarmCoordinator for this swarm.`, {
    hint: `Deploy it with the registry ${peerRegistry.address} and the clock ${clock.address}.`,
  })
}

async function fundsOf(context: OwnerSession, address: string, amount: string, unit: string) {
  const { client, contracts } = context
  if (unit !== 'nectar' && unit !== 'coin')
    throw new ProposalRefusedError(`${unit} is not a unit.`, { hint: 'Use nectar or coin.' })
  const amountWei = /^\d{1,18}(\.\d{1,18})?$/.test(amount) ? parseEther(amount) : 0n
  const to = addressOf(address)
  const { nectarWei, coinWei } = await readFunds(client, contracts, contracts.timelock.address)
  const heldWei = unit === 'coin' ? coinWei : nectarWei
  if (amountWei === 0n || amountWei > heldWei)
    throw new ProposalRefusedError(`The timelock ${contracts.timelock.address} cannot send ${amount}.`, {
      hint: `Name an amount above 0 of the ${Number(heldWei) / 1e18} ${unit} that it holds now.`,
    })
  const { address: nectar, abi } = contracts.nectar
  const data = encodeFunctionData({ abi, functionName: 'transfer', args: [to, amountWei] })
  const call =
    unit === 'coin' ? { target: to, value: amountWei, data: '0x' as const } : { target: nectar, value: 0n, data }
  return { power: timelockItself, call }
}
