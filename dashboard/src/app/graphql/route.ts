import { readEnvironment } from '#sources/environment.ts'
import { forward, readQuestion, tooLarge } from '#sources/forward.ts'

/** `POST /graphql`: the index, which limits the cost of a query. */
export async function POST(request: Request): Promise<Response> {
  const question = await readQuestion(request)
  const { indexerUrl } = readEnvironment()
  return question === null ? tooLarge() : forward(request, indexerUrl && `${indexerUrl}/graphql`, question)
}
