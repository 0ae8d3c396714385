import { registerHooks } from 'node:module'

const CODEGEN = '/ponder/dist/esm/bin/utils/codegen.js'
const EMPTY = "export const ponderEnv = ''; export function runCodegen() {}"

/**
 * Keeps Ponder from writing `ponder-env.d.ts` next to the sources. `ponder.d.ts` has the types, and the user who runs an installed
 * indexer may lack the permission to write there.
 */
export function skipCodegen(): void {
  registerHooks({
    load: (url, context, next) =>
      url.endsWith(CODEGEN) ? { format: 'module', source: EMPTY, shortCircuit: true } : next(url, context),
  })
}
