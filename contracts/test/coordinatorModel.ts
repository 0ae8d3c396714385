import type { Address } from 'viem'

/** The outcome of a call to RL Swarm's SwarmCoordinator 0.6.0: an error's name, or the events in their order. */
export type Outcome = { error: string } | { events: readonly (readonly unknown[])[] }

const MAX_INT256 = 2n ** 255n - 1n
const MIN_INT256 = -(2n ** 255n)

class Refusal extends Error {}

function refuseIf(condition: boolean, error: string): void {
  if (condition) throw new Refusal(error)
}

/** Checked addition, as Solidity's. */
function add(a: bigint, b: bigint): bigint {
  refuseIf(a + b > MAX_INT256 || a + b < MIN_INT256, 'Panic')
  return a + b
}

/**
 * RL Swarm's SwarmCoordinator 0.6.0 as its callers observe it, in the plainest form: maps of strings, one function a call.
 *
 * Each function throws before it changes anything.
 */
export class CoordinatorModel {
  round = 0n
  readonly roles = new Set<string>()
  readonly owners = new Map<string, Address>()
  readonly claims = new Map<Address, string[]>()
  readonly votes = new Map<string, readonly string[]>()
  readonly voteCounts = new Map<string, bigint>()
  readonly wins = new Map<string, bigint>()
  readonly bootnodes: string[] = []
  readonly submitted = new Set<string>()
  readonly accountRewards = new Map<string, bigint>()
  readonly totals = new Map<string, bigint>()

  constructor(owner: Address) {
    for (const role of ['OWNER_ROLE', 'STAGE_MANAGER_ROLE', 'BOOTNODE_MANAGER_ROLE']) this.roles.add(`${role}/${owner}`)
  }

  /** Runs one call. */
  run(call: () => readonly (readonly unknown[])[]): Outcome {
    try {
      return { events: call() }
    } catch (error) {
      if (error instanceof Refusal) return { error: error.message }
      throw error
    }
  }

  changeRole(sender: Address, granted: boolean, role: string, account: Address) {
    refuseIf(!this.roles.has(`OWNER_ROLE/${sender}`), 'OnlyOwner')
    if (granted) this.roles.add(`${role}/${account}`)
    else this.roles.delete(`${role}/${account}`)
    return [[granted ? 'RoleGranted' : 'RoleRevoked', role, account, sender]]
  }

  updateStageAndRound(sender: Address) {
    refuseIf(!this.roles.has(`STAGE_MANAGER_ROLE/${sender}`), 'OnlyStageManager')
    this.round++
    return [
      ['RoundAdvanced', this.round],
      ['StageAdvanced', this.round, 0n],
    ]
  }

  registerPeer(sender: Address, peerId: string) {
    refuseIf(this.owners.has(peerId), 'PeerIdAlreadyRegistered')
    this.owners.set(peerId, sender)
    this.claims.set(sender, [...(this.claims.get(sender) ?? []), peerId])
    return [['PeerRegistered', sender, peerId]]
  }

  addBootnodes(sender: Address, added: readonly string[]) {
    this.#requireBootnodeManager(sender)
    this.bootnodes.push(...added)
    return [['BootnodesAdded', sender, BigInt(added.length)]]
  }

  removeBootnode(sender: Address, index: bigint) {
    this.#requireBootnodeManager(sender)
    refuseIf(index >= BigInt(this.bootnodes.length), 'InvalidBootnodeIndex')
    const last = this.bootnodes.pop() as string
    if (Number(index) < this.bootnodes.length) this.bootnodes[Number(index)] = last
    return [['BootnodeRemoved', sender, index]]
  }

  clearBootnodes(sender: Address) {
    this.#requireBootnodeManager(sender)
    this.bootnodes.length = 0
    return [['AllBootnodesCleared', sender]]
  }

  submitWinners(sender: Address, round: bigint, winners: readonly string[], peerId: string) {
    refuseIf(round > this.round, 'InvalidRoundNumber')
    refuseIf((this.votes.get(`${round}/${peerId}`) ?? []).length > 0, 'WinnerAlreadyVoted')
    refuseIf(this.owners.get(peerId) !== sender, 'InvalidVoterPeerId')
    refuseIf(new Set(winners).size < winners.length, 'InvalidVote')
    this.votes.set(`${round}/${peerId}`, winners)
    this.voteCounts.set(peerId, (this.voteCounts.get(peerId) ?? 0n) + 1n)
    for (const winner of winners) this.wins.set(winner, (this.wins.get(winner) ?? 0n) + 1n)
    return [['WinnerSubmitted', sender, peerId, round, winners]]
  }

  submitReward(sender: Address, round: bigint, stage: bigint, reward: bigint, peerId: string) {
    refuseIf(round > this.round, 'InvalidRoundNumber')
    refuseIf(stage > (round === this.round ? 0n : 1n), 'InvalidStageNumber')
    refuseIf(this.submitted.has(`${round}/${stage}/${peerId}`), 'RewardAlreadySubmitted')
    refuseIf(this.owners.get(peerId) !== sender, 'InvalidVoterPeerId')
    const ofAccount = `${round}/${stage}/${sender}`
    const sum = add(this.accountRewards.get(ofAccount) ?? 0n, reward)
    const total = add(this.totals.get(peerId) ?? 0n, reward)
    this.submitted.add(`${round}/${stage}/${peerId}`)
    this.accountRewards.set(ofAccount, sum)
    this.totals.set(peerId, total)
    return [
      ['RewardSubmitted', sender, round, stage, reward, peerId],
      ['CumulativeRewardsUpdated', sender, peerId, total],
    ]
  }

  /** The `uint256` overload casts. */
  submitUnsignedReward(sender: Address, round: bigint, stage: bigint, reward: bigint, peerId: string) {
    return this.submitReward(sender, round, stage, BigInt.asIntN(256, reward), peerId)
  }

  #requireBootnodeManager(sender: Address): void {
    refuseIf(!this.roles.has(`BOOTNODE_MANAGER_ROLE/${sender}`), 'OnlyBootnodeManager')
  }
}
