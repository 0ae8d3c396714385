import { z } from 'zod'
import { readEnvironment } from './environment.ts'
import { fetchPart } from './fetchPart.ts'
import { mapPart, type Part } from './part.ts'

/** One GraphQL query to the indexer, its answer checked against a schema. */
export async function queryIndexer<T>(
  query: string,
  variables: Record<string, unknown>,
  schema: z.ZodType<T>,
): Promise<Part<T>> {
  const answer = z.object({ data: schema })
  const part = await fetchPart('indexer', readEnvironment().indexerUrl, '/graphql', answer, {
    body: { query, variables },
  })
  return mapPart(part, ({ data }) => data)
}
