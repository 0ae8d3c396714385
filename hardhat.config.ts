import { createRequire } from 'node:module'
import toolbox from '@nomicfoundation/hardhat-toolbox'
import { defineConfig, task } from 'hardhat/config'

const require = createRequire(import.meta.url)

const abi = task('abi', 'Write deployments/abi.ts from the contracts, or check that it is not stale')
  .addFlag({ name: 'check', description: 'Write nothing; fail if the module is stale' })
  .setAction(() => import('./scripts/deploy/abiTask.ts'))
  .build()

export default defineConfig({
  plugins: [toolbox],
  tasks: [abi],
  paths: {
    sources: 'contracts/src',
    tests: { solidity: 'contracts/test', nodejs: 'contracts/test' },
  },
  solidity: {
    compilers: [
      {
        version: '0.8.30',
        // The compiler that npm installed: nothing is downloaded.
        path: require.resolve('solc/soljson.js'),
        settings: { optimizer: { enabled: true, runs: 10_000 }, viaIR: true, evmVersion: 'cancun' },
      },
    ],
  },
})
