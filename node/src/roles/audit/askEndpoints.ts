import { ChainUnreachableError } from '#chain/chainErrors.ts'
import { revertedWith } from '#chain/revertedWith.ts'
import { originsOf } from '#core/redactUrls.ts'

/** The results of the endpoints that answer. @throws {ChainUnreachableError} if none does; any other error, at once. */
export async function askEndpoints<Asked extends { rpcUrl: string }, Result>(
  endpoints: readonly Asked[],
  ask: (endpoint: Asked) => Promise<Result>,
): Promise<Result[]> {
  const outages: ChainUnreachableError[] = []
  const asked = endpoints.map(async endpoint => {
    try {
      return [await ask(endpoint)]
    } catch (error) {
      const outage = outageOf(endpoint, error)
      if (outage === null) throw error
      outages.push(outage)
      return []
    }
  })
  const answers = (await Promise.all(asked)).flat()
  if (answers.length === 0) throw outages[0]
  return answers
}

/** A revert counts as an invalid answer: no view that an audit reads reverts. */
function outageOf({ rpcUrl }: { rpcUrl: string }, error: unknown): ChainUnreachableError | null {
  if (error instanceof ChainUnreachableError) return error
  const reason = revertedWith(error)
  if (reason === null) return null
  return new ChainUnreachableError(
    `The chain at ${originsOf(rpcUrl)} says of a call that cannot revert that it does: ${reason}.`,
    {
      hint: "It is faulty, or the deployment's record is of another release: name another endpoint with --rpc.",
      retryable: true,
      cause: error,
    },
  )
}
