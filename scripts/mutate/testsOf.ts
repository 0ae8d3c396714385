/** Tests that play all of the market at once. */
const MARKET = ['invariant/Market']

const APPEALS = [
  'challenges/Appeals',
  'challenges/AppealsOfGoneWork',
  'challenges/AppealsOfLostRounds',
  'challenges/AppealRules',
  'challenges/AppealWeights',
  'challenges/Attacks',
]

/**
 * The Solidity test files that are about a contract or library: its mutants are caught by them or not at all. What only another contract's
 * tests, or a TypeScript test, would notice counts as a survivor.
 */
const TESTS: Record<string, readonly string[]> = {
  PeerRegistry: ['PeerRegistry', 'RsaPeers', 'ContractAccounts', 'invariant/Registry'],
  PeerIds: ['PeerRegistry', 'RsaPeers'],
  RsaKeys: ['RsaPeers'],
  Rounds: ['Rounds', 'ManualRounds', 'Beacons', 'invariant/Swarm'],
  RoundBeacons: ['Beacons', 'invariant/Swarm'],
  BlockHashes: ['Beacons'],
  Draws: ['Beacons', 'RolloutCommitments', 'Ballots', 'Openings'],
  RoundHistory: ['RoundHistory', 'Seats'],
  Ring: ['Seats', 'Settlement', 'Nectar', 'invariant/Swarm'],
  RolloutCommitments: ['RolloutCommitments', 'ContractAccounts', 'invariant/Swarm'],
  TaskProposals: [
    'TaskProposals',
    'RolloutCommitments',
    'TaskFaults',
    'StakedSeats',
    'invariant/Openings',
    'invariant/Proposers',
  ],
  EvaluatorSeats: ['Seats', 'StakedSeats', 'Ballots', 'Settlement', 'invariant/Swarm'],
  RewardVotes: [
    'Seats',
    'Ballots',
    'Settlement',
    'SettlementTime',
    'challenges/FalseLeaves',
    'challenges/Appeals',
    'challenges/AppealsOfGoneWork',
    'invariant/Swarm',
  ],
  ShardBallots: ['Seats', 'Ballots', 'SettlementTime', 'challenges/Appeals', 'invariant/Swarm'],
  Earnings: [
    'Nectar',
    'Settlement',
    'challenges/FalseLeaves',
    'challenges/WithheldLeaves',
    'challenges/AppealWeights',
    'invariant/Swarm',
  ],
  Weights: ['Weights', 'Nectar'],
  Rulings: ['challenges/WithheldLeaves', 'challenges/FalseLeaves', ...APPEALS],
  Challenges: ['challenges/WithheldLeaves', 'invariant/Challenges'],
  ChallengeBonds: ['challenges/WithheldLeaves', 'challenges/Appeals'],
  Credits: ['challenges/WithheldLeaves', 'market/Payouts'],
  Jury: [...APPEALS, 'market/Disputes'],
  CommittedWork: ['challenges/WithheldLeaves', 'challenges/FalseLeaves', 'challenges/Appeals'],
  FalseLeaves: ['challenges/FalseLeaves'],
  WithheldLeaves: ['challenges/WithheldLeaves', 'challenges/ResponsePay', 'challenges/ResponseGas'],
  SpecificationFields: ['SpecificationFields', 'challenges/WithheldLeaves', 'DrawnLeaf'],
  Appeals: APPEALS,
  AppealCases: APPEALS,
  AppealVerdicts: APPEALS,
  JuryVotes: ['JuryVotes', 'challenges/Appeals'],
  Openings: ['Openings', 'TaskPay'],
  ScoreOpenings: ['Openings', 'DrawnLeaf', 'TaskPay', 'invariant/Openings'],
  TaskPay: ['TaskPay', 'invariant/Openings'],
  TaskFaults: ['TaskFaults', 'TaskPay', 'invariant/Openings', 'invariant/Proposers'],
  Ballots: ['Ballots', 'Openings'],
  Nectar: ['Nectar', 'invariant/Swarm'],
  Stakes: ['Stakes', 'StakedSeats', 'invariant/Stakes'],
  CommitteeWords: ['Ballots', 'Settlement', 'Openings', 'invariant/Swarm'],
  Tally: ['Tally', 'Settlement'],
  MarketLeaf: ['market/Reveals', 'market/Games'],
  MarketShares: ['market/Bets', 'market/Payouts', ...MARKET],
  MarketPools: ['market/Bets', 'market/Payouts', ...MARKET],
  MarketBets: ['market/Bets', 'market/Payouts', ...MARKET],
  MarketDisputes: ['market/Disputes', 'market/DrawGas', ...MARKET],
  MarketGames: ['market/Games', 'market/Reveals', ...MARKET],
  MarketLedger: ['market/Payouts', 'market/Games', 'market/Disputes', ...MARKET],
  MarketPayouts: ['market/Payouts', 'market/Disputes', ...MARKET],
  MarketReveals: ['market/Reveals', 'market/Games', ...MARKET],
  PredictionMarket: ['market/Games', 'market/Bets', 'market/Payouts', ...MARKET],
  PrgMarket: ['market/Prg', 'Powers'],
  SwarmCoordinator: [
    'SwarmCoordinator',
    'CoordinatorPowers',
    'CoordinatorProofs',
    'LeaderboardImport',
    'invariant/Coordinator',
  ],
  SwarmClaims: ['SwarmCoordinator', 'CoordinatorPowers', 'CoordinatorProofs', 'invariant/Coordinator'],
  Claims: ['SwarmCoordinator', 'CoordinatorPowers', 'CoordinatorProofs'],
}

/**
 * Test files of a contract, from the root.
 *
 * @throws if the table lacks it: its mutants would all survive.
 */
export function testsOf(contract: string): string[] {
  const names = TESTS[contract]
  if (names === undefined) throw new Error(`scripts/mutate/testsOf.ts does not say what tests ${contract}`)
  return names.map(name => `contracts/test/${name}.t.sol`)
}
