import type { Context } from 'hono'

const FAULT = 'The index could not answer: its log says why.'

/** Answers where a route threw, in the form of a refusal. Ponder's own answer would tell readers the paths of the installation. */
export function answerFault(error: Error, context: Context): Response {
  console.warn(`${context.req.path}: ${error.stack}`)
  return context.json({ errors: [{ message: FAULT }] }, 500)
}
