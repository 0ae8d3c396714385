import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire, isBuiltin } from 'node:module'
import { dirname, join, relative } from 'node:path'

/** Every module that some import, by their paths from the root, and the packages with what they depend on. Groups of benchmarks are loaded on demand and not followed. */
export async function importClosure(root: string, entries: readonly string[]) {
  const files = new Set<string>()
  const packages = new Set<string>()
  const waiting = entries.map(entry => join(root, entry))
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const name = relative(root, path)
    if (files.has(name)) continue
    files.add(name)
    for (const [, from = ''] of (await readFile(path, 'utf8')).matchAll(
      /^(?:import|export)\b(?:[^'"]*?\bfrom)? '([^']+)'/gm,
    )) {
      if (from.startsWith('.')) waiting.push(join(dirname(path), from))
      else if (from.startsWith('#')) waiting.push(createRequire(path).resolve(from))
      else if (!isBuiltin(from)) await addPackage(root, packageOf(from), packages)
    }
  }
  return { files, packages }
}

const packageOf = (from: string) =>
  from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/')

async function addPackage(root: string, name: string, packages: Set<string>): Promise<void> {
  const manifest = join(root, 'node_modules', name, 'package.json')
  if (packages.has(name) || !existsSync(manifest)) return
  packages.add(name)
  const { dependencies = {} } = JSON.parse(await readFile(manifest, 'utf8'))
  for (const dependency of Object.keys(dependencies)) await addPackage(root, dependency, packages)
}
