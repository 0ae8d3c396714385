import type { GraphQLSchema } from 'graphql'
import { readOnce } from './readOnce.ts'

type Tables = Readonly<Record<string, unknown>>

/** The parts of Ponder's own answer to a question. Its package names only the whole, to which nothing can be added. */
interface PonderGraphql {
  buildGraphQLSchema: (options: { schema: Tables }) => GraphQLSchema
  buildDataLoaderCache: (database: unknown) => unknown
}

interface Ponder {
  PONDER_DATABASE: { readonlyQB: { raw: unknown } }
}

const FILE = new URL('../../../node_modules/ponder/dist/esm/graphql/index.js', import.meta.url)

/**
 * The schema of the tables as Ponder makes it, and what its fields read from.
 *
 * @returns with a function that gives the context of one question: rows of a table that it asks for together are read together.
 */
export async function ponderSchema(tables: Tables) {
  const { buildGraphQLSchema, buildDataLoaderCache } = (await import(FILE.href)) as PonderGraphql
  const makeContext = () => {
    const { readonlyQB } = (globalThis as unknown as Ponder).PONDER_DATABASE
    const qb = readOnce(readonlyQB.raw)
    return { qb, getDataLoader: buildDataLoaderCache(qb) }
  }
  return { schema: buildGraphQLSchema({ schema: tables }), makeContext }
}
