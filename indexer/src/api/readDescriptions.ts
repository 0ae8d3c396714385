/** Columns that several tables have, where none of them says more. */
const COMMON: Readonly<Record<string, string>> = {
  id: 'Sorts as the chain does.',
  account: 'Address of the account, lower case.',
  round: 'Number of the round.',
  shard: 'Number of the shard: 32 peers of the round, by place.',
  level: 'Of the appeal: 1, or 2 for the second jury.',
  peerKey: 'keccak-256 of the peer id.',
  evaluatorKey: 'Key of the evaluator.',
  proposerKey: 'Key of the proposer.',
  seatKey: 'Key of the evaluator in the seat.',
  peerId: 'The peer’s id, base58.',
  name: 'Three words that follow from the peer id.',
  gameId: 'Number of the game.',
  holder: 'Whose position it is: the account as 32 bytes, or the key of a peer that bet through RL Swarm’s interface.',
  choice: 'Number of the choice, from 0.',
  stake: 'Tokens bet.',
  atSec: 'Unix time of its block, seconds.',
  committedAtSec: 'Unix time of the commitment, seconds.',
  startsAtSec: 'Unix time of its start, seconds.',
  endsAtSec: 'Unix time of its end, seconds.',
  transactionHash: 'The transaction that it came with.',
  scoreMilli: 'Score in thousandths.',
  contentId: 'sha-256 of the payload behind it.',
  fromRound: 'Its first round.',
}

/** A comment before a name, and the name. */
const COMMENTED = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(?:export const )?(\w+)(?=:| = onchain)/g
const TABLE = /export const (\w+) = onchain(?:Table|View)\(/g
/** Columns that two views have in common: `const pointColumns = () => ({ … })`. */
const SHARED = /\.\.\.(\w+)\(\)/g

/**
 * Descriptions of tables and columns: the comments in the schema's files, their only source.
 *
 * @param source - TypeScript of the schema's files.
 * @returns by `table`, and by `table.column`.
 */
export function readDescriptions(source: string): Map<string, string> {
  const found = new Map<string, string>()
  const abouts = commentsIn(source)
  const starts = [...source.matchAll(TABLE)]
  for (const { 1: table = '', index } of starts) {
    const about = abouts.get(table)
    if (about !== undefined) found.set(table, about)
    const block = source.slice(index, endOf(source, index))
    const shared = [...block.matchAll(SHARED)].map(([, name]) => {
      const at = source.indexOf(`const ${name} = `)
      return source.slice(at, endOf(source, at))
    })
    for (const [column, text] of [block, ...shared].flatMap(one => [...commentsIn(one)]))
      found.set(`${table}.${column}`, text)
  }
  return found
}

/** A column's description: that of its own table, or else the one that all tables share. */
export function describeColumn(described: ReadonlyMap<string, string>, table: string, column: string) {
  return described.get(`${table}.${column}`) ?? COMMON[column]
}

/** The next statement begins where a line does. */
function endOf(source: string, start: number): number {
  const next = source.slice(start).search(/\n(?:\/\*\*|export|const)/)
  return next === -1 ? source.length : start + next
}

function commentsIn(source: string): Map<string, string> {
  return new Map([...source.matchAll(COMMENTED)].map(([, comment = '', name = '']) => [name, plainText(comment)]))
}

/** A comment without its stars and links. */
function plainText(comment: string): string {
  return comment
    .replace(/\n\s*\*/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
