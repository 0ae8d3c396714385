import { extname, join } from 'node:path'

/** Path of a module next to another one, to start it as a worker: `.ts` in the sources and `.js` in a build, as the other module. */
export function siblingModule({ dirname, filename }: ImportMeta, name: string): string {
  return join(dirname, name + extname(filename))
}
