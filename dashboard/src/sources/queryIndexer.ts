import { originsOf } from '@waggle/node/core/redactUrls'
import { z } from 'zod'
import { readEnvironment } from './environment.ts'
import { fetchPart } from './fetchPart.ts'
import { type Part, ready, type Trouble } from './part.ts'

/** Reasons why the indexer could not read all of an answer. One of another version lacks the fields, and its answer has no `data`. */
const failed = z.object({
  data: z.record(z.string(), z.unknown()).nullable(),
  errors: z.array(z.object({ message: z.string() })).min(1),
})
const LATE = 'It takes longer than'

/** One GraphQL query to the indexer, its answer checked against a schema. */
export async function queryIndexer<T>(
  query: string,
  variables: Record<string, unknown>,
  schema: z.ZodType<T>,
): Promise<Part<T>> {
  // Errors first: with them, data may be null where a null means that there is none.
  const answer = z.union([failed, z.object({ data: schema })])
  const url = readEnvironment().indexerUrl
  const part = await fetchPart('indexer', url, '/graphql', answer, { body: { query, variables } })
  if (part.state === 'down') return part
  if (!('errors' in part.data)) return ready(part.data.data)
  const messages = part.data.errors.map(({ message }) => message)
  const origin = url && originsOf(url)
  const down = (trouble: Trouble) => ({ state: 'down', source: 'indexer', trouble, url: origin }) as const
  if (messages.some(message => message.startsWith(LATE))) return down('slow')
  console.error(`indexer at ${origin} could not answer: ${JSON.stringify(messages).slice(0, 300)}`)
  return down('refused')
}
