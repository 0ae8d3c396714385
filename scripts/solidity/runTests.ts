import {
  type Artifact,
  EdrContext,
  L1_CHAIN_TYPE,
  l1GenesisState,
  l1HardforkFromString,
  l1SolidityTestRunnerFactory,
  OSAKA,
  type SuiteResult,
} from '@nomicfoundation/edr'
import type { Compiled } from './compileTests.ts'
import type { Effort } from './effort.ts'

const HARDFORK = OSAKA

/** Gas limit against endless loops; the longest test uses a hundredth of it. */
const GAS_LIMIT = 1_000_000_000n

export interface TestOutcome {
  suite: string
  name: string
  passed: boolean
  reason: string
  /** Calls that an invariant's runs made, 0 for other tests. */
  calls: number
}

let opened: Promise<EdrContext> | undefined

/** One engine a process: it may be made only once. */
function engine(): Promise<EdrContext> {
  opened ??= (async () => {
    const context = new EdrContext()
    await context.registerSolidityTestRunnerFactory(L1_CHAIN_TYPE, l1SolidityTestRunnerFactory())
    return context
  })()
  return opened
}

/**
 * Runs the Solidity tests of the given files on Hardhat's engine, in this process.
 *
 * @param pattern - of the names of tests; all, if absent.
 */
export async function runTests(
  contracts: Record<string, Record<string, Compiled>>,
  files: readonly string[],
  { fuzzRuns, invariantRuns, invariantDepth, seed, passesReverts = false }: Effort,
  pattern?: string,
): Promise<TestOutcome[]> {
  const artifacts = Object.entries(contracts).flatMap(([source, byName]) =>
    Object.entries(byName).map(([name, compiled]) => artifactOf(source, name, compiled)),
  )
  const suites = artifacts.filter(({ id, contract }) => files.includes(id.source) && isSuite(contract, pattern))
  const results: SuiteResult[] = []
  const context = await engine()
  // The last suites may be reported after the run is over.
  const reported = Promise.withResolvers<void>()
  if (suites.length === 0) return []
  const run = context.runSolidityTests(
    L1_CHAIN_TYPE,
    artifacts,
    suites.map(({ id }) => id),
    {
      projectRoot: process.cwd(),
      hardfork: HARDFORK,
      localPredeploys: l1GenesisState(l1HardforkFromString(HARDFORK)),
      gasLimit: GAS_LIMIT,
      disableBlockGasLimit: true,
      disableTransactionGasCap: true,
      fuzz: { runs: fuzzRuns, seed },
      invariant: { runs: invariantRuns, depth: invariantDepth, failOnRevert: !passesReverts, shrinkRunLimit: 0 },
      ...(pattern === undefined ? {} : { testPattern: pattern }),
    },
    {},
    result => {
      if (results.push(result) === suites.length) reported.resolve()
    },
  )
  await Promise.all([run, reported.promise])
  return results.flatMap(({ id, testResults }) =>
    testResults.map(({ name, status, reason, kind }) => ({
      suite: id.name,
      name,
      passed: status === 'Success',
      reason: reason ?? '',
      calls: 'calls' in kind ? Number(kind.calls) : 0,
    })),
  )
}

function artifactOf(source: string, name: string, { abi, evm }: Compiled): Artifact {
  return {
    id: { name, source, solcVersion: '0.8.30' },
    contract: {
      abi: JSON.stringify(abi),
      bytecode: `0x${evm.bytecode.object}`,
      linkReferences: evm.bytecode.linkReferences,
      deployedBytecode: `0x${evm.deployedBytecode.object}`,
      deployedLinkReferences: evm.deployedBytecode.linkReferences,
    },
  }
}

/** Whether the engine would run any of its functions: it reports no suite without. */
function isSuite({ abi, bytecode }: Artifact['contract'], pattern = ''): boolean {
  const functions = JSON.parse(abi) as { type: string; name?: string }[]
  const wanted = new RegExp(pattern)
  return bytecode !== '0x' && functions.some(({ name = '' }) => /^(test|invariant)/.test(name) && wanted.test(name))
}
