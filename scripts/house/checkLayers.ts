import { dirname, join, normalize } from 'node:path'
import { lineOf, type Texts } from './readTexts.ts'

interface Package {
  folder: string
  /** Layers that every layer of the package may import. */
  common: readonly string[]
  /** What each layer may import besides. */
  layers: Readonly<Record<string, readonly string[]>>
}

const model: Package = {
  folder: 'node/model/src/',
  common: ['base'],
  layers: {
    base: [],
    engine: [],
    model: ['engine'],
    rl: ['model', 'engine'],
    library: ['rl', 'model', 'engine'],
  },
}

const EVERY_ROLE_NEEDS = ['environments', 'rl', 'model', 'market', 'chain', 'p2p', 'store', 'hub', 'sandbox']

const node: Package = {
  folder: 'node/src/',
  common: ['core', 'base'],
  layers: {
    core: [],
    environments: ['rl', 'model'],
    hub: [],
    sandbox: [],
    market: [],
    chain: [],
    p2p: [],
    store: [],
    roles: EVERY_ROLE_NEEDS,
    cli: ['roles', ...EVERY_ROLE_NEEDS],
  },
}

const IMPORT = /(?:\bfrom|\bimport|\bmock\(|\bimport\() ?'((?:[#.]|@waggle\/)[^']+)'/g

/** Imports point down only: through the package import to another layer, by a relative path within one, and never from the model to another package of ours. */
export function checkLayers(sources: Texts): string[] {
  const findings: string[] = []
  for (const [path, text] of sources) {
    const place = placeOf(path)
    if (place === null) continue
    if (!(place.layer in place.home.layers))
      findings.push(`${path}: '${place.layer}' is not in the table of scripts/house/checkLayers.ts`)
    for (const { 1: target = '', index } of text.matchAll(IMPORT)) {
      const wrong = wrongImport(place, path, target)
      if (wrong !== null) findings.push(`${path}:${lineOf(text, index)}: ${wrong}: ${target}`)
    }
  }
  return findings
}

interface Place {
  home: Package
  layer: string
}

function wrongImport({ home, layer }: Place, path: string, target: string): string | null {
  if (target.startsWith('@'))
    return home === model && target !== '@waggle/model' ? 'the model may not import our other packages' : null
  if (target.startsWith('.')) {
    const to = placeOf(normalize(join(dirname(path), target)))
    return to === null || to.layer === layer ? null : 'across layers, imports go through the package'
  }
  const [to = ''] = target.slice(1).split('/')
  if (to === layer) return 'within a layer, imports are relative'
  const allowed = [...home.common, ...(home.layers[layer] ?? [])]
  return allowed.includes(to) ? null : `${layer} may not import ${to}`
}

function placeOf(path: string): Place | null {
  const home = [model, node].find(({ folder }) => path.startsWith(folder))
  if (home === undefined) return null
  const [layer = '', ...rest] = path.slice(home.folder.length).split('/')
  return rest.length === 0 ? null : { home, layer }
}
