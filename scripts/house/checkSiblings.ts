import { dirname } from 'node:path'
import type { ImportGraph } from './importGraph.ts'

/** Tests, and files that only tests use. */
const TEST = /\.test\.tsx?$|\.t\.sol$|\/test[A-Z]\w*\.tsx?$/

interface Arrow {
  from: string
  to: string
  /** An import that makes it. */
  at: string
}

/**
 * Folders that import each other, types included: a file of theirs belongs to the other folder, or above both. A folder and those in it may do
 * so: it wires them, and they share its files.
 */
export function checkSiblings(graph: ImportGraph): string[] {
  const arrows = new Map<string, Arrow>()
  for (const [path, imports] of graph) {
    if (TEST.test(path)) continue
    for (const { to: file, line } of imports) {
      const [from, to] = [dirname(path), dirname(file)]
      if (graph.has(file) && !isWithin(from, to) && !isWithin(to, from))
        arrows.set(`${from} ${to}`, { from, to, at: `${path}:${line}` })
    }
  }
  return [...arrows.values()].flatMap(({ from, to, at }) => {
    const back = arrows.get(`${to} ${from}`)
    return back === undefined || from > to ? [] : [`${from} and ${to} import each other: ${at} and ${back.at}`]
  })
}

const isWithin = (folder: string, other: string) => other === '.' || `${folder}/`.startsWith(`${other}/`)
