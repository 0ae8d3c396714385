import { type FieldNode, valueFromASTUntyped } from 'graphql'

type Variables = Readonly<Record<string, unknown>>

/**
 * Tables and views with rows for each peer and round, or for each event: the columns that an index begins with. Lists are in the order of the
 * first. All others have few rows: one for each peer, round or game, or for each of rare events (`slashings`, `compensations`, `gameClues`).
 */
export const INDEXED: Readonly<Record<string, readonly string[]>> = {
  agreedLeafs: ['round'],
  appealCases: ['round', 'peerKey'],
  appeals: ['round', 'peerKey'],
  appealVerdicts: ['round', 'seatKey'],
  feedItems: ['id', 'peerKey', 'round'],
  gameBets: ['id', 'gameId', 'account'],
  gameHoldings: ['gameId', 'account'],
  gamePayouts: ['id', 'gameId', 'account'],
  leafDemands: ['round', 'peerKey'],
  openings: ['round', 'evaluatorKey'],
  proposals: ['round', 'peerKey'],
  rolloutCommitments: ['round', 'peerKey'],
  roundPeers: ['round', 'peerKey'],
  roundPlaces: ['round', 'peerKey'],
  scoreStates: ['round', 'peerKey'],
  settlements: ['round', 'peerKey'],
  taskPays: ['round', 'proposerKey'],
  tasks: ['round', 'taskHash'],
  voteCommits: ['round', 'evaluatorKey'],
  withheldSecrets: ['round', 'peerKey'],
}

/** Conditions of `standings` that few peers meet. A search for a letter finds more, but only six texts are searched for. */
const SEARCHED = /^(?:rank_in|(?:peerKey|peerId|name|account)(?:_in|_(?:contains|starts_with|ends_with)(?:_nocase)?)?)$/
/** Lists that a ranking of all peers counts as, in which few are searched for. */
const RANKING = 10
/** Ranks whose rows, and ranks before them, count as one list. */
const [RANKS_READ, RANKS_PASSED] = [100, 1_000]
/** Lists that a read of a whole table counts as: such a question is large. */
const SCAN = 101
/** Rows that a page may leave out; the database reads them. */
const MAX_OFFSET = 1_000

const RANGE = /_(gt|gte|lt|lte)$/

/** How many lists a list at the top of a question counts as, and its number of rows: more than one if no index leads to its rows. */
export function scansOf({ name, arguments: given = [] }: FieldNode, variables: Variables) {
  /** Null if it is not given, and unknown if it is a variable without a value: that may have a default. */
  const asked = (argument: string): unknown => {
    const found = given.find(one => one.name.value === argument)
    if (found === undefined) return null
    const value = valueFromASTUntyped(found.value, variables)
    return value === undefined ? 'unknown' : value
  }
  const where = asked('where')
  if (name.value === 'standings') return rankings(where)
  const filtered = where === 'unknown' ? [where] : keysOf(where)
  const order = asked('orderBy')
  const columns = INDEXED[name.value]
  if (columns === undefined) return { list: 1, count: 1 }
  const [first = ''] = columns
  const most = Math.min(
    SCAN,
    fewestNamed(where, key => columns.includes(key.replace(/_in$/, ''))),
  )
  const isRange = (key: string) => RANGE.test(key) && key.replace(RANGE, '') === first
  const isInOrder = (order ?? first) === first && filtered.every(isRange)
  // A cursor over several columns is found by reading what is before it.
  const isFar =
    !(Number(asked('offset')) <= MAX_OFFSET) || (first !== 'id' && (asked('after') ?? asked('before')) !== null)
  return { list: isInOrder && !isFar ? 1 : most, count: most }
}

/** Values of the shortest list of keys that all rows have one of; infinite if there is none. */
export function fewestNamed(where: unknown, isNamed: (key: string) => boolean): number {
  return Math.min(
    ...Object.entries(where ?? {}).map(([key, value]) => {
      if (key === 'AND') return Math.min(...[value].flat().map(part => fewestNamed(part, isNamed)))
      return value != null && isNamed(key) ? Math.max(1, [value].flat().length) : Number.POSITIVE_INFINITY
    }),
  )
}

/** Lists that one of `standings` counts as: the settlements of every peer that its filter leaves are read, in any order and with any limit. */
function rankings(where: unknown) {
  const numbers = (keys: RegExp) =>
    Object.entries(where ?? {}).flatMap(([key, value]) => (keys.test(key) && typeof value === 'number' ? [value] : []))
  const from = Math.max(0, ...numbers(/^rank(_gte?)?$/))
  const to = Math.min(...numbers(/^rank(_lte?)?$/))
  const ranks = Math.ceil(Math.max(1, (to - from) / RANKS_READ, to / RANKS_PASSED))
  const list = Math.min(isSearch(where) ? RANKING : SCAN, ranks)
  return { list, count: Math.max(list, RANKING) }
}

/** Whether few peers meet a filter. */
function isSearch(where: unknown): boolean {
  return Object.entries(where ?? {}).some(([key, value]) => {
    const parts = [value].flat()
    if (key === 'AND') return parts.some(isSearch)
    if (key === 'OR') return parts.length > 0 && parts.every(isSearch)
    return value != null && SEARCHED.test(key)
  })
}

/** Conditions of a filter, at any depth. */
function keysOf(where: unknown): string[] {
  return Object.entries(where ?? {}).flatMap(([key, value]) =>
    key === 'AND' || key === 'OR' ? [value].flat().flatMap(keysOf) : [key],
  )
}
