import { type DocumentNode, GraphQLError, parse } from 'graphql'
import { createMiddleware } from 'hono/factory'
import { z } from 'zod'
import { addressOf } from './addressOf.ts'
import { createPlaces } from './places.ts'
import { type FindKeys, plainKeys, type Question } from './plainKeys.ts'
import { FEW_READS, questionCost } from './questionCost.ts'
import { textFault } from './textFault.ts'

/** The pages' largest question has 3,000. */
const MAX_CHARACTERS = 32_768
/** Most words and signs of a query, checked before it is parsed. */
const MAX_TOKENS = 2_000

/**
 * Larger questions that run or wait. The pages' own are not, so that they never wait; those that readers of a dashboard send by hand come
 * from its address.
 */
const LARGE = { total: 16, ofAddress: 1, ofProxy: 8 }

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
 * the other, one of each address.
 */
export function questionRoute(findKeys: FindKeys) {
  const documents = new Map<string, DocumentNode>()
  const inTurn = createMutex()
  const places = createPlaces(LARGE)
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
    const leave = places.take(addressOf(context))
    if (leave === null) return context.json(refusal(BUSY), 503)
    await inTurn(next).finally(leave)
  })
}

/** Runs one after the other, and lets the event loop serve others in between. */
function createMutex() {
  let last = Promise.resolve()
  return (work: () => Promise<void>): Promise<void> => {
    const done = last.then(work)
    last = done.catch(() => {}).then(() => new Promise(resolve => setImmediate(resolve)))
    return done
  }
}

const BUSY =
  'A large question of this address is being answered, or too many of others: try again later, or ask for fewer lists.'
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
    const fault = textFault(document, variables ?? {})
    if (fault !== null) return fault
    return { document, variables: variables ?? {}, operationName: operationName ?? undefined }
  } catch (error) {
    return error instanceof GraphQLError ? error.message : FORM
  }
}
