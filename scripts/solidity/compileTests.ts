import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, posix } from 'node:path'

const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }

/** Sources by their path from the repository's root, or by package name. */
export type Sources = Readonly<Record<string, { readonly content: string }>>

interface Bytecode {
  object: string
  linkReferences: Record<string, Record<string, { start: number; length: number }[]>>
}

export interface Compiled {
  abi: readonly { type: string; name?: string }[]
  evm: { bytecode: Bytecode; deployedBytecode: Bytecode }
}

/** Contracts by source and name, or why there are none. */
type Compilation = { contracts: Record<string, Record<string, Compiled>> } | { errors: readonly string[] }

/** All outputs that the engine needs. Others, which would trace failures, take as long as the code itself. */
const OUTPUTS = [
  'abi',
  ...['bytecode', 'deployedBytecode'].flatMap(code => [`evm.${code}.object`, `evm.${code}.linkReferences`]),
]

/**
 * Compiles files with what they import, in this process, which stays warm. Not optimised, unless it is asked for: that takes a quarter of
 * the time, and these contracts are only run a little.
 *
 * @param files - from the root.
 * @param changed - sources that stand in for the files on disk.
 */
export function compile(
  root: string,
  files: readonly string[],
  changed: ReadonlyMap<string, string> = new Map(),
  optimized = false,
): Compilation {
  const settings = {
    evmVersion: 'cancun',
    optimizer: { enabled: optimized, runs: 10_000 },
    outputSelection: { '*': { '*': OUTPUTS } },
  }
  const input = { language: 'Solidity', sources: collect(root, files, changed), settings }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as {
    contracts?: Record<string, Record<string, Compiled>>
    errors?: { severity: string; formattedMessage: string }[]
  }
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error')
  if (errors.length > 0) return { errors: errors.map(({ formattedMessage }) => formattedMessage) }
  return { contracts: output.contracts ?? {} }
}

/** The files and everything that they import. */
function collect(root: string, files: readonly string[], changed: ReadonlyMap<string, string>): Sources {
  const sources: Record<string, { content: string }> = {}
  const add = (path: string): void => {
    if (path in sources) return
    const content = changed.get(path) ?? readSource(root, path)
    sources[path] = { content }
    for (const [, imported = ''] of content.matchAll(/^import\b[^;]*?"([^"]+)";/gm)) {
      add(imported.startsWith('.') ? posix.join(posix.dirname(path), imported) : imported)
    }
  }
  for (const file of files) add(file)
  return sources
}

function readSource(root: string, path: string): string {
  const own = join(root, path)
  return readFileSync(existsSync(own) ? own : join(root, 'node_modules', path), 'utf8')
}
