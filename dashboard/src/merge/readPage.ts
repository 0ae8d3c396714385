/** What follows the question mark of an address, as Next hands it to a page. */
export type Query = Record<string, string | string[] | undefined>

/** One parameter of an address, the first where it was given twice; empty if it is absent. */
export function readParameter(query: Query, name: string): string {
  const value = query[name]
  return ((Array.isArray(value) ? value[0] : value) ?? '').trim()
}

/** The page of a list, from 1; what makes no sense there is as if it were absent. */
export function readPage(query: Query): number {
  const page = Number(readParameter(query, 'page'))
  return Number.isSafeInteger(page) && page > 0 ? page : 1
}
