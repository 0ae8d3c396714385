import { originsOf } from '@waggle/node/core/redactUrls'
import { z } from 'zod'
import { readEnvironment } from './environment.ts'
import { fetchPart } from './fetchPart.ts'
import { type Part, ready } from './part.ts'

/** The indexer's refusal of a question that takes it too long. */
const late = z.object({ errors: z.array(z.object({ message: z.string().startsWith('It takes longer than') })).min(1) })

/** One GraphQL query to the indexer, its answer checked against a schema. */
export async function queryIndexer<T>(
  query: string,
  variables: Record<string, unknown>,
  schema: z.ZodType<T>,
): Promise<Part<T>> {
  const answer = z.union([late, z.object({ data: schema })])
  const url = readEnvironment().indexerUrl
  const part = await fetchPart('indexer', url, '/graphql', answer, { body: { query, variables } })
  if (part.state === 'down') return part
  if ('data' in part.data) return ready(part.data.data)
  return { state: 'down', source: 'indexer', trouble: 'slow', url: url && originsOf(url) }
}
