import { dirname, join, normalize } from 'node:path'
import { lineOf, type Texts } from './readTexts.ts'

export interface Import {
  /** As it is written. */
  target: string
  line: number
  /** The file that it means, whether it exists or not. */
  to: string
}

/** Imports of each source: static, by type, later (`import()`), or as the file of a thread or a process. */
export type ImportGraph = ReadonlyMap<string, readonly Import[]>

/** Package imports of TypeScript, by where they are written, and packages of ours, as package.json of each has them. */
const PREFIXES: readonly { in: string; prefix: string; to: string }[] = [
  { in: 'dashboard/', prefix: '#', to: 'dashboard/src/' },
  ...['base', 'engine', 'model', 'rl'].map(layer => ({
    in: 'node/',
    prefix: `#${layer}/`,
    to: `node/model/src/${layer}/`,
  })),
  { in: 'node/', prefix: '#', to: 'node/src/' },
  { in: '', prefix: '@waggle/model/', to: 'node/model/src/' },
  { in: '', prefix: '@waggle/model', to: 'node/model/src/library/index.ts' },
  { in: '', prefix: '@waggle/deployments/', to: 'deployments/' },
  { in: '', prefix: '@waggle/deployments', to: 'deployments/index.ts' },
]

/** Paths that `exports` of node/package.json renames. */
const NODE_EXPORTS: Readonly<Record<string, string>> = {
  '@waggle/node/core/peerName': 'node/src/core/peers/peerName.ts',
  '@waggle/node/core/taskProposal': 'node/src/core/payloads/taskProposal.ts',
  '@waggle/node/market/commitGame': 'node/src/market/commitGame.ts',
}

const TYPESCRIPT = /(?:\bfrom|\bimport|\bmock\(|\bimport\(|\bnew URL\()\s*'((?:[#.]|@waggle\/)[^']+)'/g
/** The file of a process, by the name that `siblingModule` gives it. */
const SIBLING = /\bsiblingModule\(import\.meta, '([^']+)'\)/g
const SOLIDITY = /\bimport\s(?:[^"';]*\bfrom\s)?["'](\.[^"']+)["']/g

export function importGraph(sources: Texts): ImportGraph {
  return new Map(
    [...sources].map(([path, text]) => {
      const found = path.endsWith('.sol')
        ? text.matchAll(SOLIDITY)
        : [...text.matchAll(TYPESCRIPT), ...text.matchAll(SIBLING)]
      const imports = [...found].map(({ 0: whole, 1: name = '', index }) => {
        const target = whole.startsWith('siblingModule') ? `./${name}` : name
        const at = targetOf(path, target)
        const to = [at, `${at}.ts`, `${at}.tsx`].find(one => sources.has(one)) ?? at
        return { target, line: lineOf(text, index), to }
      })
      return [path, imports] as const
    }),
  )
}

function targetOf(path: string, target: string): string {
  if (target.startsWith('.')) return normalize(join(dirname(path), target))
  const found = PREFIXES.find(entry => path.startsWith(entry.in) && target.startsWith(entry.prefix))
  return NODE_EXPORTS[target] ?? (found ? found.to + target.slice(found.prefix.length) : target)
}

/** Imports that lead back to where they began, each as the files on the way. Imports of types count. */
export function importCycles(graph: ImportGraph): string[][] {
  const cycles: string[][] = []
  const done = new Set<string>()
  const way: string[] = []
  const visit = (path: string): void => {
    if (way.includes(path)) cycles.push([...way.slice(way.indexOf(path)), path])
    if (done.has(path) || way.includes(path)) return
    way.push(path)
    for (const { to } of graph.get(path) ?? []) visit(to)
    way.pop()
    done.add(path)
  }
  for (const path of graph.keys()) visit(path)
  return cycles
}
