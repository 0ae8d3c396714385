import { type Hex, zeroHash } from 'viem'
import { randomStream } from '../../../node/model/src/base/random.ts'
import { merkleProof, merkleRoot } from '../../../node/src/core/merkle.ts'
import { leafHash } from '../../../node/src/core/payloads/leaf.ts'
import { roundSeed } from '../../../node/src/roles/draws/roundSeed.ts'
import { type Member, OWED, POLICY, randomHex, SAMPLED, type Swarm } from './openSwarm.ts'

/** A leaf's quality is uniform within this distance of its author's ability. */
const SPREAD_MILLI = 300

export interface Leaf {
  readonly index: number
  readonly taskHash: Hex
  readonly policyHash: Hex
  readonly seed: Hex
  readonly bodyHash: Hex
}

/** The leaves that a solver publishes, and the true worth of each. */
export interface Bundle {
  readonly leaves: readonly Leaf[]
  readonly hashes: readonly Hex[]
  readonly root: Hex
  readonly qualitiesMilli: readonly number[]
}

/** The author of answers, its tasks and its ability. */
interface Authorship {
  readonly chainId: number
  readonly round: number
  readonly beacon: Hex
  readonly author: Member
  readonly abilityMilli: number
  /** Whether a leaf names its peer. */
  readonly bindsLeaves: boolean
  /** Name of the run, so that the same work has the same quality however it is committed. */
  readonly run: string
}

/**
 * A bundle of the tasks and seeds that were drawn, or of the best of several seeds of the author's own.
 *
 * @param tries - seeds tried for each leaf; with more than one the leaf's header is false.
 */
export function makeBundle(work: Authorship, leafCount: number, tries = 1): Bundle {
  const { chainId, round, author, beacon, abilityMilli, bindsLeaves, run } = work
  const peerKey = bindsLeaves ? author.key : zeroHash
  const drawnSeed = roundSeed('rollout', chainId, round, beacon, author.key)
  const random = randomStream('simulated leaves', `${run} ${round} ${author.key}`)
  const qualitiesMilli: number[] = []
  const leaves = Array.from({ length: leafCount }, (_, index) => {
    const tried = Array.from({ length: tries }, () => abilityMilli + SPREAD_MILLI * (2 * random.uniform() - 1))
    qualitiesMilli.push(Math.max(...tried))
    const seed = tries === 1 ? drawnSeed : randomHex(random)
    return { index, taskHash: randomHex(random), policyHash: POLICY, seed, bodyHash: randomHex(random) }
  })
  const hashes = leaves.map(leaf => leafHash({ chainId, round, peerKey, ...leaf }))
  return { leaves, hashes, root: merkleRoot(hashes), qualitiesMilli }
}

/** Checks of a leaf besides its proof. Each can be switched off. */
export interface Rules {
  /** A leaf with another seed than the one drawn counts 0, and is shown to the chain. */
  readonly checksSeeds: boolean
  /** The beacon draws from the leaves that a peer owes, or from those that it made. */
  readonly drawsFrom: 'owed' | 'committed'
}

/** Worth of each sampled leaf of a commitment by the rules, by its index, and a false leaf if there is one. */
export async function judgeBundle(
  { commitments, chainId }: Swarm,
  { key }: Member,
  round: number,
  beacon: Hex,
  bundle: Bundle,
  rules: Rules,
): Promise<{ worth: ReadonlyMap<number, number>; falseLeaf: Leaf | null }> {
  const from = rules.drawsFrom === 'owed' ? OWED : bundle.leaves.length
  const sampled = await commitments.read.sampledLeaves([BigInt(round), key, from, SAMPLED])
  const drawnSeed = roundSeed('rollout', chainId, round, beacon, key)
  const worth = new Map<number, number>()
  let falseLeaf: Leaf | null = null
  for (const index of sampled) {
    const leaf = bundle.leaves[index]
    if (leaf === undefined) continue
    const hash = await commitments.read.leafOf([BigInt(round), key, leaf])
    if (!(await commitments.read.verifyLeaf([bundle.root, hash, merkleProof(bundle.hashes, index)]))) continue
    const isFalse = rules.checksSeeds && leaf.seed !== drawnSeed
    if (isFalse) falseLeaf = leaf
    worth.set(index, isFalse ? 0 : (bundle.qualitiesMilli[index] ?? 0))
  }
  return { worth, falseLeaf }
}
