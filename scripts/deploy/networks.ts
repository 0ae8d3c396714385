import { type KnownNetwork, knownNetworks } from '../../deployments/networks.ts'

export { knownNetworks }

/** Facts about a network that a deployment needs before its first call. */
export interface NetworkPreset extends KnownNetwork {
  /** Length of a round unless `--round-seconds` says otherwise. */
  readonly roundSeconds: number
  /** From the deployment to round 0 unless `--starts-at` says otherwise. Peers that register before it count from round 0. */
  readonly startsInSeconds: number
  /** Between two blocks, at most as a rule. */
  readonly blockSeconds: number
  /** Rounds of bootstrap unless `--bootstrap-rounds` says otherwise. */
  readonly bootstrapRounds: number
  /** Delay of the timelock that holds the powers over points, seconds. */
  readonly timelockSeconds: number
  /** Blocks on top of a transaction before it counts: a public chain may reorganise, a local one does not. */
  readonly confirmations: number
  readonly blockPollingMs: number
}

/** Name of the variable with the deployer's private key, in the environment or in Hardhat's keystore. */
export const KEY_VARIABLE = 'WAGGLE_DEPLOYER_KEY'

/** Private key of anvil's first account ("test test … junk"): public knowledge, worth nothing outside local chains. */
export const LOCAL_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

/** Long enough to leave before an unwanted change takes effect. */
const TWO_DAYS = 172_800

/** Rounds of ten minutes in a week: openings have paid the stakes of a thousand evaluators by then, twice over (adr/0172). */
const ONE_WEEK = 1_008

/** Names are those of `--network`. */
export const NETWORKS: Readonly<Record<string, NetworkPreset>> = {
  local: {
    ...knownNetworks.local,
    roundSeconds: 20,
    // As long as it takes to deploy and to register the peers of a swarm.
    startsInSeconds: 20,
    blockSeconds: 1,
    // A local swarm stays in bootstrap.
    bootstrapRounds: 1_000_000,
    timelockSeconds: 60,
    confirmations: 1,
    blockPollingMs: 200,
  },
  sepolia: {
    ...knownNetworks.sepolia,
    roundSeconds: 600,
    startsInSeconds: 0,
    blockSeconds: 12,
    bootstrapRounds: ONE_WEEK,
    timelockSeconds: TWO_DAYS,
    confirmations: 2,
    blockPollingMs: 2_000,
  },
  gensynTestnet: {
    ...knownNetworks.gensynTestnet,
    roundSeconds: 600,
    startsInSeconds: 0,
    blockSeconds: 2,
    bootstrapRounds: ONE_WEEK,
    timelockSeconds: TWO_DAYS,
    confirmations: 2,
    blockPollingMs: 1_000,
  },
}
