import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { contractNames } from '../../deployments/contractNames.ts'
import { abiModule } from './abiModule.ts'

/** `hardhat abi [--check]`: the generated module from freshly built artifacts. */
export default async function abiTask({ check }: { check: boolean }, hre: HardhatRuntimeEnvironment): Promise<void> {
  await hre.tasks.getTask('build').run({ quiet: true, noTests: true })
  const artifacts = await Promise.all(contractNames.map(name => hre.artifacts.readArtifact(name)))
  const module = abiModule(artifacts)
  const file = path.join(hre.config.paths.root, 'deployments', 'abi.ts')
  const known = await readFile(file, 'utf8').catch(() => '')
  if (known === module) {
    console.log('deployments/abi.ts is up to date')
  } else if (check) {
    console.error('deployments/abi.ts is stale: run "npx hardhat abi" and commit it')
    process.exitCode = 1
  } else {
    await writeFile(file, module)
    console.log('wrote deployments/abi.ts')
  }
}
