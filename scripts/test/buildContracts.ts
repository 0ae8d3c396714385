/**
 * Builds the contracts as they are deployed, and the doubles that tests in TypeScript deploy with them. The Solidity tests have a build of
 * their own (`solidityTests.ts`): with them, this one takes four times as long.
 */
import { join } from 'node:path'
import hre from 'hardhat'

const tests = join(import.meta.dirname, '..', '..', 'contracts/test')
const doubles = ['market/MarketDoubles.sol', 'Prober.sol', 'DrawsProbe.sol'].map(file => join(tests, file))

const files: string[] = []
for (const file of await hre.solidity.getRootFilePaths())
  if (doubles.includes(file) || (await hre.solidity.getScope(file)) === 'contracts') files.push(file)
await hre.tasks.getTask('build').run({ quiet: true, files })
