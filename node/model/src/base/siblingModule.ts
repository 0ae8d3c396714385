import { extname, join } from 'node:path'

/** Path of a module in the folder of another one, to start it: it ends in `.ts` as a source and in `.js` once it is built, as that one does. */
export function siblingModule({ dirname, filename }: ImportMeta, name: string): string {
  return join(dirname, name + extname(filename))
}
