/**
 * The Solidity test files that are about a contract or library: its mutants are caught by them or not at all. What only another contract's
 * tests, or a TypeScript test, would notice counts as a survivor.
 */
const TESTS: Record<string, readonly string[]> = {
  PeerRegistry: ['PeerRegistry', 'RsaPeers', 'ContractAccounts', 'invariant/Registry'],
  PeerIds: ['PeerRegistry', 'RsaPeers'],
  RsaKeys: ['RsaPeers'],
  Rounds: ['Rounds', 'ManualRounds', 'Beacons'],
  RoundBeacons: ['Beacons'],
  BlockHashes: ['Beacons'],
  Draws: ['Beacons', 'RolloutCommitments', 'Ballots'],
  RoundHistory: ['RoundHistory'],
  RolloutCommitments: ['RolloutCommitments', 'ContractAccounts'],
  EvaluatorSeats: ['Seats', 'Ballots', 'Settlement', 'invariant/Swarm'],
  RewardVotes: ['Seats', 'Ballots', 'Settlement', 'LeafChallenges', 'invariant/Swarm'],
  Earnings: ['Nectar', 'Settlement', 'LeafChallenges', 'invariant/Swarm'],
  Nectar: ['Nectar', 'invariant/Swarm'],
  CommitteeWords: ['Ballots', 'Settlement', 'invariant/Swarm'],
  Tally: ['Tally', 'Settlement'],
  CommitteeDraw: ['market/Disputes'],
  MarketLeaf: ['market/Reveals', 'market/Games'],
  MarketPrices: ['market/Bets'],
  MarketBets: ['market/Bets', 'market/Payouts'],
  MarketDisputes: ['market/Disputes'],
  MarketGames: ['market/Games', 'market/Reveals'],
  MarketLedger: ['market/Payouts', 'market/Games', 'market/Disputes'],
  MarketPayouts: ['market/Payouts'],
  MarketReveals: ['market/Reveals', 'market/Games'],
  PredictionMarket: ['market/Games', 'market/Bets', 'market/Payouts'],
  PrgMarket: ['market/Prg'],
  SwarmCoordinator: ['SwarmCoordinator', 'CoordinatorPowers', 'CoordinatorProofs', 'invariant/Coordinator'],
  Claims: ['SwarmCoordinator', 'CoordinatorPowers'],
}

/** Test files of a contract, from the root; none for one that the table lacks, which means all of them. */
export function testsOf(contract: string): string[] {
  return (TESTS[contract] ?? []).map(name => `contracts/test/${name}.t.sol`)
}
