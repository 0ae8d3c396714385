import { type Ballot, type ConnectedChain, digest } from './testPeers.ts'

/** An evaluator's votes as the contract takes them: in the order in which the peers committed. */
export async function ballotOf({ client, contracts }: ConnectedChain, round: number, { evaluator, scores }: Ballot) {
  const committee = await client.readContract({
    ...contracts.rewardVotes,
    functionName: 'committeeOf',
    args: [BigInt(round), 0],
  })
  const keys = scores.map(({ peer }) => peer.peerKey)
  const ordinals = await client.readContract({
    ...contracts.rolloutCommitments,
    functionName: 'ordinalsOf',
    args: [BigInt(round), keys],
  })
  const inOrder = scores
    .map((score, index) => ({ ...score, ordinal: ordinals[index] ?? 0 }))
    .sort((a, b) => a.ordinal - b.ordinal)
  return {
    round: BigInt(round),
    shard: 0,
    position: committee.indexOf(evaluator.peerKey),
    evaluatorKey: evaluator.peerKey,
    scoresMilli: inOrder.map(({ scoreMilli }) => scoreMilli),
    componentRoots: inOrder.map(({ peer }) => digest(`components of ${peer.peerId}`)),
    contentId: digest('score sheet'),
  }
}
