import { createRequire } from 'node:module'
import toolbox from '@nomicfoundation/hardhat-toolbox'
import { configVariable, defineConfig, task } from 'hardhat/config'
import { ArgumentType } from 'hardhat/types/arguments'
import { KEY_VARIABLE, knownNetworks, LOCAL_KEY, NETWORKS, type NetworkPreset } from './scripts/deploy/networks.ts'
import { hardhatEffort, testEffort } from './scripts/solidity/effort.ts'

const require = createRequire(import.meta.url)

const abi = task(
  'abi',
  'Write the ABIs and bytecode in deployments from the contracts, or check that they are not stale',
)
  .addFlag({ name: 'check', description: 'Write nothing; fail if any is stale' })
  .setAction(() => import('./scripts/deploy/abiTask.ts'))
  .build()

/** An option whose absence is told from an empty value, such as that of a variable that is not set. */
function textOption<const Name extends string>(name: Name, description: string) {
  return { name, description, type: ArgumentType.STRING_WITHOUT_DEFAULT as const, defaultValue: undefined }
}

const deploy = task('deploy', 'Deploy the protocol, or finish a deployment; a rerun sends nothing')
  .addOption(textOption('data', 'Data folder: journal, and local record (default .waggle)'))
  .addOption(textOption('record', 'Where to write the record (default: by network)'))
  .addOption(textOption('roundSeconds', 'Length of a round; 0: ended by hand (default: by network)'))
  .addOption(textOption('startsAt', 'Start of round 0, Unix time (default: by network)'))
  .addOption(textOption('bootstrapRounds', 'First round whose seats and tasks need stakes (default: by network)'))
  .addOption(textOption('environment', "Hash of the environment's specification"))
  .addFlag({ name: 'prebuilt', description: 'Deploy the bytecode in deployments; compile only if the sources differ' })
  .addFlag({ name: 'json', description: 'End with one JSON object alone on the last line' })
  .setAction(() => import('./scripts/deploy/deployTask.ts'))
  .build()

/** Hardhat asks one endpoint; everything else takes a list of them from the same variable. An empty variable is none. */
function firstEndpoint({ urlVariable, defaultUrl }: NetworkPreset): string {
  const urls = (process.env[urlVariable] ?? '').split(',').map(url => url.trim())
  return urls.find(url => url !== '') ?? defaultUrl
}

/** URLs and keys are the environment's; a key may also lie in Hardhat's keystore, which asks for its password. */
function network(name: string, preset: NetworkPreset) {
  const isLocalKey = name === 'local' && !process.env[KEY_VARIABLE]
  return {
    type: 'http' as const,
    chainType: 'generic' as const,
    chainId: preset.chainId,
    url: firstEndpoint(preset),
    accounts: [isLocalKey ? LOCAL_KEY : configVariable(KEY_VARIABLE)],
  }
}

/** The compiler that npm installed: nothing is downloaded. Not through the IR: that takes four times as long, most of a test run. */
function compiler(runs: number) {
  const settings = { optimizer: { enabled: true, runs }, evmVersion: 'cancun' }
  return { version: '0.8.30', path: require.resolve('solc/soljson.js'), settings }
}

const { gensynTestnet } = knownNetworks

export default defineConfig({
  plugins: [toolbox],
  tasks: [abi, deploy],
  paths: {
    sources: 'contracts/src',
    tests: { solidity: 'contracts/test', nodejs: 'contracts/test' },
  },
  solidity: {
    npmFilesToBuild: [
      '@openzeppelin/contracts/governance/TimelockController.sol',
      '@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol',
    ],
    compilers: [compiler(10_000)],
    // 3 KB smaller: well below the limit of a contract's size.
    overrides: {
      'contracts/src/Challenges.sol': compiler(500),
      'contracts/src/PredictionMarket.sol': compiler(500),
    },
  },
  networks: {
    ...Object.fromEntries(Object.entries(NETWORKS).map(([name, preset]) => [name, network(name, preset)])),
    // Chains in this process begin on one day, so that what is drawn there does not follow from the hour of a run.
    default: { type: 'edr-simulated', initialDate: '2026-01-01T00:00:00Z' },
  },
  // Sourcify and Blockscout need no key; Etherscan is asked only with one.
  verify: {
    etherscan: process.env.ETHERSCAN_API_KEY ? { apiKey: configVariable('ETHERSCAN_API_KEY') } : { enabled: false },
  },
  chainDescriptors: {
    [gensynTestnet.chainId]: {
      name: 'Gensyn Testnet',
      blockExplorers: { blockscout: { url: gensynTestnet.explorerUrl, apiUrl: `${gensynTestnet.explorerUrl}/api` } },
    },
  },
  test: {
    solidity: hardhatEffort(testEffort),
  },
})
