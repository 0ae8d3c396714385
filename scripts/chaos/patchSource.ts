import { registerHooks } from 'node:module'

/**
 * Changes a module's source before it runs.
 *
 * @param path - how its URL ends.
 * @param from - text that it must have.
 */
export function patchSource(path: string, { from, to, append }: { from: string; to: string; append: string }): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      if (!url.endsWith(path)) return loaded
      const source = String(loaded.source)
      if (!source.includes(from)) throw new Error(`cannot patch ${path}: it does not have '${from}'`)
      return { ...loaded, source: source.replace(from, to) + append }
    },
  })
}
