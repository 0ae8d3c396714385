import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { staleFiles } from './abiModule.ts'
import { generatedFiles } from './generatedFiles.ts'

/** `hardhat abi [--check]`: the generated files of deployments/ from freshly built artifacts. */
export default async function abiTask({ check }: { check: boolean }, hre: HardhatRuntimeEnvironment): Promise<void> {
  await hre.tasks.getTask('build').run({ quiet: true, noTests: true })
  const files = await generatedFiles(hre)
  const folder = path.join(hre.config.paths.root, 'deployments')
  const stale = await staleFiles(folder, files)
  if (stale.length === 0) {
    console.log('ABIs and bytecode in deployments are up to date')
  } else if (check) {
    console.error(`stale in deployments: ${stale.join(', ')}. Run "npx hardhat abi" and commit them`)
    process.exitCode = 1
  } else {
    await mkdir(path.join(folder, 'abi'), { recursive: true })
    for (const file of stale) await writeFile(path.join(folder, file), files.get(file) ?? '')
    console.log(`wrote ${stale.join(', ')} in deployments`)
  }
}
