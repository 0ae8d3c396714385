/** Number of random runs of Solidity tests, and their seed. */
export interface Effort {
  fuzzRuns: number
  invariantRuns: number
  invariantDepth: number
  seed: string
  /** Whether a call that reverts under an invariant is skipped, instead of failing it. */
  passesReverts?: boolean
}

/** "wagg". */
const seed = '0x77616767'

/** Effort of `npm run test:long` and `hardhat test`; `scripts/test/longInvariants.ts` plays invariants for an hour. */
export const testEffort: Effort = { fuzzRuns: 256, invariantRuns: 24, invariantDepth: 60, seed }

/** Effort of `npm test`: more would take a minute of one core, and play what the long mode plays. */
export const quickEffort: Effort = { ...testEffort, fuzzRuns: 64, invariantRuns: 12 }

/** Effort of each try with changed sources: a fault that only the 200th fuzz run finds is weakly tested anyway. */
export const tryEffort: Effort = { fuzzRuns: 48, invariantRuns: 4, invariantDepth: 50, seed }

/** An effort as Hardhat's configuration has it. */
export function hardhatEffort({ fuzzRuns, invariantRuns, invariantDepth, seed: from }: Effort) {
  return {
    fuzz: { runs: fuzzRuns, seed: from },
    invariant: { runs: invariantRuns, depth: invariantDepth, failOnRevert: true },
  }
}
