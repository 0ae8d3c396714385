import { GraphQLError, type GraphQLFieldResolver, type GraphQLSchema, getNamedType, isObjectType } from 'graphql'
import { SINGLE_READS } from './links.ts'

type Resolve = GraphQLFieldResolver<unknown, Paced, Record<string, unknown>>

/** In the context of a question. */
export interface Paced {
  afterOthers: <T>(read: () => T | Promise<T>) => Promise<T>
  /** Resolves once nothing is read any more. */
  atRest: () => Promise<unknown>
}

/** Lists that a question has read at the same time: Postgres can, PGlite reads one after the other anyway. */
const LANES = 4
/** A statement that runs is waited for. */
const DEADLINE_MS = 10_000

/** Ponder ignores a negative limit and reads the whole table. */
const NEGATIVE = 'A limit is not negative.'
const LATE = `It takes longer than ${DEADLINE_MS / 1000} s: ask for less at a time.`

/**
 * Has the lists of a question wait for each other, with a turn of the event loop in between, and refuses the rest of a question that takes too long. Without
 * this PGlite reads all of them in one turn, in which no other question is answered and nothing is indexed.
 */
export function paceReads(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue
    for (const field of Object.values(type.getFields())) {
      const isRead = getNamedType(field.type).name.endsWith('Page') || SINGLE_READS.has(field.name)
      if (field.resolve === undefined || (!isRead && field.name !== '_meta')) continue
      const resolve = field.resolve as Resolve
      const paced: Resolve = (row, args, context, info) => {
        if (Number(args.limit) < 0) throw new GraphQLError(NEGATIVE)
        return context.afterOthers(() => resolve(row, args, context, info))
      }
      field.resolve = paced as typeof field.resolve
    }
  }
}

/**
 * The pace of one question, which begins now.
 *
 * @param settled - resolves once all statements of the question that run are over: a list that fails may leave one behind, and others wait for it.
 */
export function createPace(settled: () => Promise<unknown>, now: () => number = () => performance.now()): Paced {
  const lateMs = now() + DEADLINE_MS
  const lanes = Array.from({ length: LANES }, () => Promise.resolve())
  let count = 0
  return {
    async afterOthers(read) {
      const lane = count++ % LANES
      const done = (lanes[lane] as Promise<void>).then(async () => {
        await new Promise(resolve => setImmediate(resolve))
        if (now() > lateMs) throw new GraphQLError(LATE)
        return read()
      })
      lanes[lane] = done.then(
        () => {},
        async () => void (await settled()),
      )
      return done
    },
    async atRest() {
      await Promise.all(lanes)
      await settled()
    },
  }
}
