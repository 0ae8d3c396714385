import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { contractNames } from '../../deployments/contractNames.ts'
import { abiModules } from './abiModule.ts'
import { BYTECODE_FILE, bytecodeText, createdNames, sourcesHash } from './bytecode.ts'

/** Files of deployments/ that are generated from the contracts' built artifacts, by path. */
export async function generatedFiles({ artifacts, config }: HardhatRuntimeEnvironment): Promise<Map<string, string>> {
  const read = (names: readonly string[]) => Promise.all(names.map(name => artifacts.readArtifact(name)))
  const bytecode = bytecodeText(await sourcesHash(config), await read(createdNames))
  return new Map([...abiModules(await read(contractNames)), [BYTECODE_FILE, bytecode]])
}
