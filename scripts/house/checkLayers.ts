import { dirname, join, normalize } from 'node:path'
import { lineOf, type Texts } from './readTexts.ts'

const NODE = 'node/src/'
const EVERY_ROLE_NEEDS = ['environments', 'rl', 'model', 'market', 'chain', 'p2p', 'store', 'hub', 'sandbox']

/** What a layer of the node may import besides `core`. */
const layers: Readonly<Record<string, readonly string[]>> = {
  core: [],
  engine: [],
  model: ['engine'],
  rl: ['model', 'engine'],
  environments: ['rl', 'model'],
  hub: [],
  sandbox: [],
  market: [],
  chain: [],
  p2p: [],
  store: [],
  roles: EVERY_ROLE_NEEDS,
  cli: ['roles', ...EVERY_ROLE_NEEDS],
  library: ['rl', 'model', 'engine'],
}

/** Imports of the node point down only: through the package import to another layer, and by a relative path within one. */
export function checkLayers(sources: Texts): string[] {
  const findings: string[] = []
  for (const [path, text] of sources) {
    const layer = layerOf(path)
    if (layer === null) continue
    const allowed = layers[layer]
    if (allowed === undefined) findings.push(`${path}: '${layer}' is not in the table of scripts/house/checkLayers.ts`)
    for (const { 1: target = '', index } of text.matchAll(/(?:\bfrom|\bimport|\bmock\(|\bimport\() ?'([#.][^']+)'/g)) {
      const wrong = target.startsWith('#')
        ? wrongPackageImport(layer, target, allowed ?? [])
        : wrongRelativeImport(layer, path, target)
      if (wrong !== null) findings.push(`${path}:${lineOf(text, index)}: ${wrong}: ${target}`)
    }
  }
  return findings
}

function wrongPackageImport(layer: string, target: string, allowed: readonly string[]): string | null {
  const [to = ''] = target.slice(1).split('/')
  if (to === layer) return 'within a layer, imports are relative'
  return to === 'core' || allowed.includes(to) ? null : `${layer} may not import ${to}`
}

function wrongRelativeImport(layer: string, path: string, target: string): string | null {
  const to = layerOf(normalize(join(dirname(path), target)))
  return to === null || to === layer ? null : 'across layers, imports go through the package'
}

function layerOf(path: string): string | null {
  if (!path.startsWith(NODE)) return null
  const [layer = '', ...rest] = path.slice(NODE.length).split('/')
  return rest.length === 0 ? null : layer
}
