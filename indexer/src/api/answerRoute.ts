import { execute, type GraphQLSchema, validate } from 'graphql'
import { createMiddleware } from 'hono/factory'
import type { Paced } from './paceReads.ts'
import type { AskedQuestion } from './questionRoute.ts'

/** Answers the question that `questionRoute` has let through, with 200 also where parts of it failed. */
export function answerRoute(schema: GraphQLSchema, makeContext: () => Pick<Paced, 'atRest'>) {
  return createMiddleware<AskedQuestion>(async context => {
    const { document, variables: variableValues, operationName } = context.get('question')
    const faults = validate(schema, document)
    if (faults.length > 0) return context.json({ errors: faults })
    const contextValue = makeContext()
    const answer = await execute({ schema, document, variableValues, operationName, contextValue })
    await contextValue.atRest()
    return context.json(answer)
  })
}
