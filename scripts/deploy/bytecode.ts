import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Artifact, ArtifactResolver } from '@nomicfoundation/ignition-core'
import type { HardhatConfig } from 'hardhat/types/config'
import { parseAbi } from 'viem'
import * as abis from '../../deployments/abi.ts'
import { contractNames } from '../../deployments/contractNames.ts'
import { abiName } from './abiModule.ts'

const require = createRequire(import.meta.url)

/** The coordinator stands behind it; the index and the pages never meet it, so that no ABI of it is generated. */
export const PROXY = 'ERC1967Proxy'

/** All that a deployment creates. */
export const createdNames = [...contractNames, PROXY]

/** The file in deployments/ that holds what the compiler made. */
export const BYTECODE_FILE = 'bytecode.json'

interface Bytecode {
  /** Hash of the sources, as `sourcesHash` computes it. */
  sources: string
  /** Creation code, 0x and hex digits, by the name of the contract. */
  bytecode: Record<string, string>
}

/** @param artifacts - of `createdNames`. */
export function bytecodeText(
  sources: string,
  artifacts: readonly Pick<Artifact, 'contractName' | 'bytecode'>[],
): string {
  const bytecode = Object.fromEntries(artifacts.map(artifact => [artifact.contractName, artifact.bytecode]))
  return `${JSON.stringify({ sources, bytecode } satisfies Bytecode, null, 2)}\n`
}

/** Hash over all that decides what the compiler makes: sources, packages that they import, compiler and settings. */
export async function sourcesHash({ paths, solidity }: Pick<HardhatConfig, 'paths' | 'solidity'>): Promise<string> {
  const hash = createHash('sha256')
  for (const name of ['@openzeppelin/contracts', 'solc']) hash.update(require(`${name}/package.json`).version)
  // The compiler's path differs between machines.
  const settings = { compiled: solidity.profiles.default, fromPackages: solidity.npmFilesToBuild }
  hash.update(JSON.stringify(settings, (key, value) => (key === 'path' ? undefined : value)))
  for (const folder of paths.sources.solidity) {
    const names = (await readdir(folder, { recursive: true })).filter(name => name.endsWith('.sol')).sort()
    for (const name of names)
      hash.update(name.replaceAll(path.sep, '/')).update(await readFile(path.join(folder, name)))
  }
  return hash.digest('hex')
}

/**
 * The artifacts of `deployments/`, which need no compiler.
 *
 * @returns nothing if the sources are not those that they were made from.
 */
export async function prebuiltArtifacts(config: HardhatConfig): Promise<ArtifactResolver | undefined> {
  const text = await readFile(path.join(config.paths.root, 'deployments', BYTECODE_FILE), 'utf8')
  const prebuilt = JSON.parse(text) as Bytecode
  if (prebuilt.sources !== (await sourcesHash(config))) return undefined
  return {
    loadArtifact: async name => artifactOf(name, prebuilt.bytecode[name] ?? '0x'),
    getBuildInfo: async () => undefined,
  }
}

/** Nothing is linked into the contracts, and what runs after creation is the chain's to know. */
function artifactOf(contractName: string, bytecode: string): Artifact {
  const constants: Record<string, Artifact['abi']> = abis
  const proxyAbi = parseAbi(['constructor(address implementation, bytes data) payable'])
  return {
    ...{ _format: 'hh3-artifact-1', contractName, sourceName: `deployments/${BYTECODE_FILE}` },
    ...{ abi: constants[abiName(contractName)] ?? proxyAbi, bytecode },
    ...{ deployedBytecode: '0x', linkReferences: {}, deployedLinkReferences: {} },
  }
}
