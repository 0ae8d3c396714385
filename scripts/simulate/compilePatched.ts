import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Compiled, compile } from '../solidity/compileTests.ts'

/** Removes a defence from a contract's source. */
export interface Patch {
  /** Path below `contracts/src`. */
  readonly file: string
  /** Text that the file contains exactly once. */
  readonly before: string
  readonly after: string
}

const root = join(import.meta.dirname, '..', '..')
const sourceFolder = 'contracts/src'
const unchanged = new Map<string, Contracts>()

/** The contract with this name. */
export type Contracts = (name: string) => Compiled

/**
 * Compiles contracts with defences taken out; what is compiled as it is, is compiled once.
 *
 * @param files - from the root.
 * @throws if a defence is not where the patch expects it: the simulation must move with the contracts.
 */
export function compilePatched(files: readonly string[], patches: readonly Patch[]): Contracts {
  if (patches.length > 0) return compileContracts(files, patchSources(patches))
  const key = files.join()
  const contracts = unchanged.get(key) ?? compileContracts(files, new Map())
  unchanged.set(key, contracts)
  return contracts
}

/** Sources, by their path from the root, with the patches made. */
export function patchSources(patches: readonly Patch[]): Map<string, string> {
  const changed = new Map<string, string>()
  for (const { file, before, after } of patches) {
    const path = join(sourceFolder, file)
    const source = changed.get(path) ?? readFileSync(join(root, path), 'utf8')
    const places = source.split(before).length - 1
    if (places !== 1) throw new Error(`${file} has this defence ${places} times, not once: ${before}`)
    changed.set(
      path,
      source.replace(before, () => after),
    )
  }
  return changed
}

function compileContracts(files: readonly string[], changed: ReadonlyMap<string, string>): Contracts {
  const compilation = compile(root, files, changed)
  if ('errors' in compilation) throw new Error(compilation.errors.join('\n'))
  const named = new Map(Object.values(compilation.contracts).flatMap(byName => Object.entries(byName)))
  return name => {
    const contract = named.get(name)
    if (contract === undefined) throw new Error(`there is no contract ${name}`)
    return contract
  }
}
