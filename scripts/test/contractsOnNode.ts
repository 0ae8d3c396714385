/** The TypeScript tests of the contracts, on what `buildContracts.ts` builds. */
import './buildContracts.ts'
import hre from 'hardhat'

const { success } = (await hre.tasks.getTask(['test', 'nodejs']).run({ noCompile: true })) as { success: boolean }
process.exit(success ? 0 : 1)
