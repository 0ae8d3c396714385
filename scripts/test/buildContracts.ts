/**
 * Builds the contracts as they are deployed, and the doubles that tests in TypeScript deploy beside them. The Solidity tests have a build of
 * their own (`solidityTests.ts`): with them, this one takes four times as long.
 */
import { join } from 'node:path'
import hre from 'hardhat'

const doubles = join(import.meta.dirname, '..', '..', 'contracts/test/market/MarketDoubles.sol')

const files: string[] = []
for (const file of await hre.solidity.getRootFilePaths())
  if (file === doubles || (await hre.solidity.getScope(file)) === 'contracts') files.push(file)
await hre.tasks.getTask('build').run({ quiet: true, files })
