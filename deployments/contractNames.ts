/** The contracts of a deployment, in the order in which they are deployed. */
export const contractNames = [
  'TimelockController',
  'Rounds',
  'PeerRegistry',
  'Stakes',
  'RolloutCommitments',
  'RewardVotes',
  'Challenges',
  'Openings',
  'Nectar',
  'SwarmCoordinator',
  'PrgMarket',
  'PredictionMarket',
] as const

export type ContractName = (typeof contractNames)[number]

/** A value for each contract. */
export function eachContract<T>(value: (name: ContractName, index: number) => T): Record<ContractName, T> {
  return Object.fromEntries(contractNames.map((name, index) => [name, value(name, index)])) as Record<ContractName, T>
}
