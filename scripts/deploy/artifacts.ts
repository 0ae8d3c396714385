import { HardhatArtifactResolver } from '@nomicfoundation/hardhat-ignition/helpers'
import type { ArtifactResolver } from '@nomicfoundation/ignition-core'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { prebuiltArtifacts } from './bytecode.ts'

type Say = (line: string) => void

/** The contracts of this release. Only sources that someone has changed need the compiler. */
export async function releaseArtifacts(hre: HardhatRuntimeEnvironment, say: Say): Promise<ArtifactResolver> {
  return (await prebuiltArtifacts(hre.config)) ?? compiledArtifacts(hre, say)
}

/** The same with what an explorer needs to verify the sources. */
export async function compiledArtifacts(hre: HardhatRuntimeEnvironment, say: Say): Promise<ArtifactResolver> {
  say('Compiling the contracts, which takes about a minute unless nothing changed …')
  await hre.tasks.getTask('build').run({ quiet: true, noTests: true })
  return new HardhatArtifactResolver(hre.artifacts)
}
