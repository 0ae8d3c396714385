/** Types of Postgres' own tables and views begin here. The columns of the index have types with lower numbers, or enums, which are text. */
const FIRST_ROW_TYPE = 10_000

/**
 * Takes from PGlite its parsers for arrays of rows of Postgres' own tables. Nothing asks for such a type, but they are two thirds of
 * all parsers, and PGlite copies all of them for every statement: a tenth of the time of a peer's page.
 *
 * @param client - PGlite; a pool of Postgres has no parsers, and stays as it is.
 */
export function lightenPglite(client: { parsers?: Record<string, unknown> }): void {
  for (const type of Object.keys(client.parsers ?? {}))
    if (Number(type) >= FIRST_ROW_TYPE) delete client.parsers?.[type]
}
