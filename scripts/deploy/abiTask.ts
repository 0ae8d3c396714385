import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { contractNames } from '../../deployments/contractNames.ts'
import { abiModules, staleModules } from './abiModule.ts'

/** `hardhat abi [--check]`: the generated modules from freshly built artifacts. */
export default async function abiTask({ check }: { check: boolean }, hre: HardhatRuntimeEnvironment): Promise<void> {
  await hre.tasks.getTask('build').run({ quiet: true, noTests: true })
  const modules = abiModules(await Promise.all(contractNames.map(name => hre.artifacts.readArtifact(name))))
  const folder = path.join(hre.config.paths.root, 'deployments')
  const stale = await staleModules(folder, modules)
  if (stale.length === 0) {
    console.log('deployments/abi.ts is up to date')
  } else if (check) {
    console.error(`stale in deployments: ${stale.join(', ')}. Run "npx hardhat abi" and commit them`)
    process.exitCode = 1
  } else {
    await mkdir(path.join(folder, 'abi'), { recursive: true })
    for (const file of stale) await writeFile(path.join(folder, file), modules.get(file) ?? '')
    console.log(`wrote ${stale.join(', ')} in deployments`)
  }
}
