import type { ImportGraph } from './importGraph.ts'
import { importCycles } from './importGraph.ts'
import { type Layer, layers } from './layers.ts'

/** Packages whose layers are imported by name, such as `#chain/…`. */
const NAMED = /^(node\/src|node\/model\/src|dashboard\/src)\//

const TEST = /\.test\.tsx?$/

/**
 * Imports that the table of layers forbids: arrows point one way. In packages that name their layers, an import of another layer is
 * written `#layer/…`, and one of the same layer with a relative path. Tests, which nothing imports, keep to the layers of their own
 * package, and may import anything outside of it.
 */
export function checkLayers(graph: ImportGraph): string[] {
  return [
    ...pointsUp(layers).map(finding => `scripts/house/layers.ts: ${finding}`),
    ...importCycles(graph).map(way => `imports lead back: ${way.join(' -> ')}`),
    ...[...graph].flatMap(([path, imports]) => {
      const home = placeOf(path)
      if (home === null) return [`${path}: no layer of scripts/house/layers.ts`]
      return imports.flatMap(({ target, line, to }) => {
        const wrong = wrongImport({ path, home, target, to })
        return wrong === null ? [] : [`${path}:${line}: ${wrong}: ${target}`]
      })
    }),
  ]
}

/** Layers that are listed before one that they import. */
export function pointsUp(table: readonly Layer[]): string[] {
  return table.flatMap(({ place, imports }, at) =>
    imports
      .filter(name => !table.slice(0, at).some(lower => lower.place === name))
      .map(name => `${place} comes before ${name}, which it imports`),
  )
}

function wrongImport(of: { path: string; home: Layer; target: string; to: string }): string | null {
  const { path, home, target, to } = of
  const there = placeOf(to)
  const [own, other] = [NAMED.exec(path)?.[1], NAMED.exec(to)?.[1]]
  if (there === home) return own !== undefined && target.startsWith('#') ? 'within a layer, imports are relative' : null
  if (own !== undefined && own === other && target.startsWith('.'))
    return 'across layers, imports go through the package'
  if (there === null || home.imports.includes(there.place)) return null
  // A test of the model may use its package as others do.
  const isFree = TEST.test(path) && (own === undefined || other === undefined || target.startsWith('@'))
  return isFree ? null : `${home.place} may not import ${there.place}`
}

function placeOf(path: string): Layer | null {
  const fits = layers.filter(({ place }) => path === place || path.startsWith(`${place}/`))
  return fits.sort((a, b) => b.place.length - a.place.length)[0] ?? null
}
