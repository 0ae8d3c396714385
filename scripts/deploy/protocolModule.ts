import { buildModule } from '@nomicfoundation/hardhat-ignition/modules'

/** The four contracts, wired by constructor immutables; the deployer holds every role at first. */
export default buildModule('Protocol', m => {
  const admin = m.getAccount(0)
  const PeerRegistry = m.contract('PeerRegistry', [admin])
  const Rounds = m.contract('Rounds', [
    admin,
    m.getParameter<number>('startsAtSec'),
    m.getParameter<number>('roundSeconds'),
    m.getParameter<string>('environmentHash'),
  ])
  const RolloutCommitments = m.contract('RolloutCommitments', [PeerRegistry, Rounds])
  const RewardVotes = m.contract('RewardVotes', [admin, PeerRegistry, Rounds, RolloutCommitments])
  return { PeerRegistry, Rounds, RolloutCommitments, RewardVotes }
})
