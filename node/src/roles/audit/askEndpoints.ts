import { ChainUnreachableError } from '#chain/chainErrors.ts'

/** The results of the endpoints that answer. @throws {ChainUnreachableError} if none does; any other error, at once. */
export async function askEndpoints<Asked, Result>(
  endpoints: readonly Asked[],
  ask: (endpoint: Asked) => Promise<Result>,
): Promise<Result[]> {
  const outages: ChainUnreachableError[] = []
  const asked = endpoints.map(async endpoint => {
    try {
      return [await ask(endpoint)]
    } catch (error) {
      if (!(error instanceof ChainUnreachableError)) throw error
      outages.push(error)
      return []
    }
  })
  const answers = (await Promise.all(asked)).flat()
  if (answers.length === 0) throw outages[0]
  return answers
}
