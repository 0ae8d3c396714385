import { type Address, type EncodeFunctionDataParameters, type Hex, keccak256, parseEther, toHex, zeroHash } from 'viem'
import { SHARD_PEERS } from '../../../../deployments/protocol.ts'
import { appealCommitment } from '../../../../node/src/chain/challenges/appealCommitment.ts'
import { specifiedSample } from '../../../../node/src/chain/votes/samples.ts'
import { voteCommitment } from '../../../../node/src/chain/votes/votes.ts'
import { merkleProof } from '../../../../node/src/core/merkle.ts'
import { componentsHash } from '../../../../node/src/core/payloads/scoreSheet.ts'
import { type Duty, POLICY, SPECIFICATION, type Swarm } from '../../votes/openSwarm.ts'
import type { Member } from '../cast.ts'
import type { Drawn, Leaf, Ledger, Outcome, Sealed, Verdict, Work } from './ledger.ts'
import { headerOf, secretOf, type WorkProofs, workProofs } from './workProofs.ts'

const OUTCOMES: readonly (Outcome | 'void' | null)[] = [
  null,
  'scored',
  'unavailable',
  'no quorum',
  'void',
  'false',
  'withheld',
]
const FIRST_BOND_WEI = parseEther('0.01')
const SALT = keccak256('0x5a17')

/** The contract that each call belongs to. */
type Contract = 'commitments' | 'votes' | 'challenges' | 'openings'

interface Case {
  readonly levels: { readonly jury: number; readonly appellant: Address; readonly bondWei: bigint }[]
}

/** The real contracts. */
export class ChainLedger implements Ledger {
  readonly chainId: number
  private readonly swarm: Swarm
  private readonly proofs: WorkProofs
  private readonly works = new Map<number, Work[]>()
  private readonly cases = new Map<string, Case>()
  private readonly paidIn = new Map<Address, bigint>()
  private readonly demandBonds = new Map<string, { by: Address; bondWei: bigint }>()

  constructor(swarm: Swarm) {
    this.swarm = swarm
    this.chainId = swarm.chainId
    const worksIn = (round: number) => this.works.get(round) ?? []
    const countOf = (round: number, key: Hex) => worksIn(round).find(({ peer }) => peer.key === key)?.leaves.length ?? 0
    this.proofs = workProofs(swarm.chainId, countOf)
  }

  enter(round: number): Promise<void> {
    return this.swarm.enter(round)
  }

  seatsAt(round: number): Promise<readonly Hex[]> {
    return this.swarm.votes.read.seatsAt([BigInt(round)])
  }

  commitSecret(round: number, proposer: Member): Promise<boolean> {
    const args = [BigInt(round), proposer.key, keccak256(secretOf(round, proposer))]
    return this.call(proposer.account, 'commitments', 'commitSecret', args)
  }

  propose(round: number, proposer: Member, count: number, tasks: Uint8Array): Promise<boolean> {
    const { key, account } = proposer
    const args = [BigInt(round), key, secretOf(round, proposer), count, toHex(tasks), zeroHash]
    return this.call(account, 'commitments', 'propose', args)
  }

  challengeSecret(round: number, { key }: Member): Promise<boolean> {
    return this.call(this.swarm.admin, 'openings', 'challengeSecret', [BigInt(round), key])
  }

  async commit(work: Work): Promise<boolean> {
    const peer = work.isFresh ? await this.swarm.enrol(work.peer.name, work.peer.account) : work.peer
    const { root, leafCount } = this.proofs.committed(work)
    const args = [BigInt(work.round), peer.key, root, leafCount, POLICY, POLICY, POLICY]
    const isTaken = await this.call(peer.account, 'commitments', 'commit', args)
    if (isTaken) this.works.set(work.round, [...(this.works.get(work.round) ?? []), work])
    return isTaken
  }

  seal(sealed: Sealed): Promise<boolean> {
    const { round, shard, position, seat } = sealed
    const commitment = voteCommitment(
      { chainId: this.chainId, rewardVotes: this.swarm.votes.address },
      this.proofs.ballot(sealed),
      SALT,
    )
    return this.call(seat.account, 'votes', 'commitVotes', [BigInt(round), shard, position, seat.key, commitment])
  }

  reveal(sealed: Sealed): Promise<boolean> {
    return this.call(sealed.seat.account, 'votes', 'revealVotes', [this.proofs.ballot(sealed), SALT])
  }

  async settle(round: number): Promise<void> {
    const keys = (this.works.get(round) ?? []).map(({ peer }) => peer.key)
    for (let shard = 0; shard * SHARD_PEERS < keys.length; shard++) {
      const page = keys.slice(shard * SHARD_PEERS, (shard + 1) * SHARD_PEERS)
      await this.call(this.swarm.admin, 'votes', 'settle', [BigInt(round), shard, page])
    }
  }

  async outcomeOf(round: number, peerKey: Hex) {
    const [outcome, scoreMilli] = await this.swarm.votes.read.outcomeOf([BigInt(round), peerKey])
    const name = OUTCOMES[outcome] ?? null
    return name === null || name === 'void' ? null : { outcome: name, scoreMilli }
  }

  open(sealed: Sealed, { work, ordinal }: Drawn, index: number): Promise<boolean> {
    const score = sealed.scores[ordinal % SHARD_PEERS]
    const opened = score?.leaves.find(leaf => leaf.index === index)
    const found = work.leaves.findIndex(leaf => leaf.index === index)
    const leaf = work.leaves[found]
    if (score === undefined || opened === undefined || leaf === undefined) return Promise.resolve(false)
    const { root, leafCount, hashes } = this.proofs.committed(work)
    const opening = {
      ballot: this.proofs.ballot(sealed),
      salt: SALT,
      peerKey: work.peer.key,
      work: { root, leafCount, policyHash: POLICY, contentId: POLICY },
      leaf: headerOf(leaf),
      leafProof: merkleProof(hashes, found),
      scoreMilli: opened.scoreMilli,
      componentsHash: componentsHash(opened.components),
      componentProof: this.proofs.components(sealed, score, opened),
    }
    return this.call(sealed.seat.account, 'openings', 'open', [opening])
  }

  async close(round: number, shard: number, { work }: Drawn): Promise<void> {
    await this.call(this.swarm.admin, 'openings', 'close', [BigInt(round), shard])
    const [index] = await this.swarm.openings.read.agreedOf([BigInt(round), shard])
    const leaf = work.leaves[index]
    if (leaf === undefined) return
    const { root, leafCount, hashes } = this.proofs.committed(work)
    const claim = {
      ...{ round: BigInt(round), shard, taskIndex: leaf.task.index, peerKey: work.peer.key },
      work: { root, leafCount, policyHash: POLICY, contentId: POLICY },
      leaf: headerOf(leaf),
      leafProof: merkleProof(hashes, index),
      proposerKey: leaf.task.peerKey,
    }
    await this.call(this.swarm.admin, 'openings', 'claimTask', [claim])
  }

  challengeLeaf(work: Work, leaf: Leaf): Promise<boolean> {
    return this.call(this.swarm.admin, 'challenges', 'challengeLeaf', this.proofs.shown(work, leaf.index))
  }

  async demand(work: Work, place: number, index: number, by: Member): Promise<boolean> {
    const bondWei = await this.swarm.challenges.read.minDemandBond()
    const sample = { ...specifiedSample(SPECIFICATION), place }
    const { root, leafCount } = this.proofs.committed(work)
    const committed = { root, leafCount, policyHash: POLICY, contentId: POLICY }
    const args = [BigInt(work.round), work.peer.key, committed, sample]
    const isTaken = await this.call(by.account, 'challenges', 'demandLeaf', args, bondWei)
    if (isTaken) {
      this.payIn(by.account, bondWei)
      this.demandBonds.set(`${work.round} ${work.peer.key} ${index}`, { by: by.account, bondWei })
    }
    return isTaken
  }

  async show(work: Work, index: number): Promise<boolean> {
    const body = work.leaves[index]?.body ?? '0x'
    const before = await this.swarm.challenges.read.creditOf([work.peer.account])
    const isTaken = await this.call(work.peer.account, 'challenges', 'showLeaf', [
      ...this.proofs.shown(work, index),
      body,
    ])
    const demand = this.demandBonds.get(`${work.round} ${work.peer.key} ${index}`)
    if (!isTaken || demand === undefined) return isTaken
    // The gas of showing it goes from the bond to who shows it, who spent it: neither is counted.
    const paidWei = (await this.swarm.challenges.read.creditOf([work.peer.account])) - before
    this.payIn(work.peer.account, paidWei)
    this.payIn(demand.by, -paidWei)
    return true
  }

  closeDemand({ round, peer }: Work, index: number): Promise<boolean> {
    return this.call(this.swarm.admin, 'challenges', 'closeDemand', [BigInt(round), peer.key, index])
  }

  async appeal(round: number, peerKey: Hex, { account }: Member): Promise<boolean> {
    const name = `${round} ${peerKey}`
    const known = this.cases.get(name) ?? { levels: [] }
    const bondWei = FIRST_BOND_WEI << BigInt(known.levels.length)
    if (!(await this.call(account, 'challenges', 'appeal', [BigInt(round), peerKey], bondWei))) return false
    this.payIn(account, bondWei)
    const { last } = await this.swarm.challenges.read.caseOf([BigInt(round), peerKey])
    known.levels.push({ jury: last.drawn, appellant: account, bondWei })
    this.cases.set(name, known)
    return true
  }

  sealVerdict({ round, peerKey, level, position, seat, scoreMilli }: Verdict): Promise<boolean> {
    const at = { chainId: this.chainId, challenges: this.swarm.challenges.address }
    const place = { round, peerKey, level, position, seatKey: seat.key }
    const args = [BigInt(round), peerKey, position, seat.key, appealCommitment(at, place, scoreMilli, SALT)]
    return this.call(seat.account, 'challenges', 'commitVerdict', args)
  }

  revealVerdict({ round, peerKey, position, seat, scoreMilli }: Verdict): Promise<boolean> {
    return this.call(seat.account, 'challenges', 'revealVerdict', [BigInt(round), peerKey, position, scoreMilli, SALT])
  }

  async closeCase(round: number, peerKey: Hex): Promise<boolean> {
    const known = this.cases.get(`${round} ${peerKey}`)
    if (known === undefined) return false
    if (!(await this.call(this.swarm.admin, 'challenges', 'closeAppeal', [BigInt(round), peerKey]))) return false
    for (const [at, { jury }] of known.levels.entries()) {
      const positions = Array.from({ length: jury }, (_, position) => position)
      await this.call(this.swarm.admin, 'challenges', 'judgeSeats', [BigInt(round), peerKey, at + 1, positions])
    }
    return true
  }

  async earnedWei(peerKey: Hex): Promise<bigint> {
    const { votes, openings } = this.swarm
    return (await votes.read.earnedOf([peerKey])) + (await openings.read.earnedOf([peerKey]))
  }

  slashedWei(duty: Duty, peerKey: Hex): Promise<bigint> {
    return this.swarm.slashedWei(duty, peerKey)
  }

  /** Stakes are their only Nectar, since nothing is claimed. */
  compensatedWei(account: Hex): Promise<bigint> {
    return this.swarm.nectar.read.balanceOf([account])
  }

  async bondsWei(account: Hex): Promise<bigint> {
    return (await this.swarm.challenges.read.creditOf([account])) - (this.paidIn.get(account) ?? 0n)
  }

  private async call(
    account: Address,
    contract: Contract,
    functionName: string,
    args: readonly unknown[],
    valueWei = 0n,
  ): Promise<boolean> {
    const { abi, address } = this.swarm[contract]
    const data = { abi, functionName, args } as unknown as EncodeFunctionDataParameters
    return this.swarm.send(account, address, data, { valueWei }).then(
      () => true,
      () => false,
    )
  }

  private payIn(account: Address, wei: bigint): void {
    this.paidIn.set(account, (this.paidIn.get(account) ?? 0n) + wei)
  }
}
