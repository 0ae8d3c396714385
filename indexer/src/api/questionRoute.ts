import { type DocumentNode, GraphQLError, parse } from 'graphql'
import { createMiddleware } from 'hono/factory'
import { z } from 'zod'
import { type FindKeys, plainKeys, type Question } from './plainKeys.ts'
import { questionCost } from './questionCost.ts'

/** The pages' largest question has 3,000. */
const MAX_CHARACTERS = 32_768
/** Most words and signs of a query, checked before it is parsed. */
const MAX_TOKENS = 2_000

/** Lists of a question that runs next to others. Each takes a millisecond, and all of a question come in one turn of the event loop. */
const FEW_READS = 100
/** Larger questions that run or wait. */
const MOST_LARGE = 16

/** Texts whose parsed form is kept: the pages ask some twenty, each with other variables. */
const KEPT_TEXTS = 32

const schema = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
})

/** Context that this route leaves to the routes after it. */
export interface AskedQuestion {
  Variables: { question: Question & { operationName: string | undefined } }
}

/**
 * Reads a question, refuses one that costs too much, and accepts addresses, keys, ids and names in any spelling. Large questions run one after
 * the other.
 */
export function questionRoute(findKeys: FindKeys) {
  const documents = new Map<string, DocumentNode>()
  const large = createMutex()
  const parseOnce = (query: string) => {
    const document = documents.get(query) ?? parse(query, { maxTokens: MAX_TOKENS, noLocation: true })
    // The last of the map is the one that was asked last.
    documents.delete(query)
    documents.set(query, document)
    for (const oldest of documents.keys()) if (documents.size > KEPT_TEXTS) documents.delete(oldest)
    return document
  }
  return createMiddleware<AskedQuestion>(async (context, next) => {
    const text = context.req.method === 'POST' ? await readText(context.req.raw) : null
    const asked = text === null ? FORM : readQuestion(text, parseOnce)
    if (typeof asked === 'string') return context.json(refusal(asked), 400)
    const cost = questionCost(asked.document, asked.variables)
    if (typeof cost === 'string') return context.json(refusal(cost), 400)
    context.set('question', { ...(await plainKeys(asked, findKeys)), operationName: asked.operationName })
    if (cost.reads <= FEW_READS) return next()
    if (large.waiting >= MOST_LARGE) return context.json(refusal(BUSY), 503)
    await large.run(next)
  })
}

/** Runs one after the other, and lets the event loop serve others in between. */
function createMutex() {
  let [waiting, last] = [0, Promise.resolve()]
  return {
    get waiting() {
      return waiting
    },
    run(work: () => Promise<void>): Promise<void> {
      waiting += 1
      const done = last.then(work).finally(() => {
        waiting -= 1
      })
      last = done.catch(() => {}).then(() => new Promise(resolve => setImmediate(resolve)))
      return done
    },
  }
}

const BUSY = 'Too many large questions: try again later, or ask for fewer lists.'
const FORM = 'A question is JSON with a query in GraphQL, 32 KB at most.'
const refusal = (message: string) => ({ errors: [{ message }] })

/** A body as text; null if it is too long, without reading the rest. */
async function readText({ body }: Request): Promise<string | null> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of body ?? []) {
    text += decoder.decode(piece, { stream: true })
    if (text.length > MAX_CHARACTERS) return null
  }
  return text + decoder.decode()
}

interface Asked extends Question {
  operationName: string | undefined
}

/** A query, or why a text is not one. */
function readQuestion(text: string, parseOnce: (query: string) => DocumentNode): Asked | string {
  try {
    const { query, variables, operationName } = schema.parse(JSON.parse(text))
    const document = parseOnce(query)
    return { document, variables: variables ?? {}, operationName: operationName ?? undefined }
  } catch (error) {
    return error instanceof GraphQLError ? error.message : FORM
  }
}
