import { generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { bindPeer } from '../bindPeer.ts'
import { MNEMONIC } from '../testPeers.ts'
import type { Scene } from './scene.ts'

interface Typed {
  kind: string
  name: string | null
  ofType: Typed | null
}

interface Row {
  name: string
  columns: string[]
  /** Fields that lead to rows, with the table. */
  relations: [field: string, table: string, isList: boolean][]
}

const SCHEMA = '{ __schema { types { name fields { name type { kind name ofType { kind name } } } } } }'

async function readRows({ indexer }: Scene): Promise<Row[]> {
  const { __schema } = await indexer.query<{
    __schema: { types: { name: string; fields: { name: string; type: Typed }[] | null }[] }
  }>(SCHEMA)
  const named = ({ kind, name, ofType }: Typed) => (kind === 'NON_NULL' ? ofType?.name : name) ?? ''
  const tables = __schema.types.filter(({ name }) => __schema.types.some(page => page.name === `${name}Page`))
  const isTable = (name: string) => tables.some(table => table.name === name)
  return tables.map(({ name, fields }) => {
    const typed = (fields ?? []).map(field => [field.name, named(field.type)] as const)
    const relations = typed.flatMap<Row['relations'][number]>(([field, type]) => {
      const table = type.replace(/Page$/, '')
      return isTable(table) ? [[field, table, type !== table]] : []
    })
    return { name, columns: typed.map(([field]) => field), relations }
  })
}

/** Filters of lists that need one. */
const NAMED: Readonly<Record<string, string>> = {
  vote: ', where: { round: 1 }',
  earning: ', where: { round: 1 }',
  purse: ', where: { peerKey: "0x00" }',
  peerStanding: ', where: { peerKey: "0x00" }',
}

/** From rows to those that belong to them. */
export function testLinks(scene: Scene): void {
  test('rows that name a peer, a round or a game link to it', async () => {
    const missing = (await readRows(scene)).flatMap(({ name, columns, relations }) => {
      const leads = (column: string, ...tables: string[]) =>
        !columns.includes(column) || tables.includes(name) || relations.some(([, table]) => tables.includes(table))
      // A game's rounds are its own.
      const isOfRound = name.startsWith('game') || leads('round', 'round')
      const isLed = leads('peerKey', 'peer') && leads('evaluatorKey', 'peer', 'evaluator') && leads('gameId', 'game')
      return isLed && isOfRound ? [] : [name]
    })
    expect(missing).toEqual([])
  })

  test('every relation is answered', async () => {
    const rows = await readRows(scene)
    expect(rows.flatMap(({ relations }) => relations).length).toBeGreaterThan(100)
    for (const { name, relations } of rows) {
      if (relations.length === 0) continue
      const where = NAMED[name] ?? ''
      const fields = relations.map(([field, , isList]) =>
        isList ? `${field}(limit: 2) { totalCount items { __typename } }` : `${field} { __typename }`,
      )
      const { [`${name}s`]: list } = await scene.indexer.query(
        `{ ${name}s(limit: 2${where}) { items { ${fields.join(' ')} } } }`,
      )
      expect(list, name).toMatchObject({ items: expect.any(Array) })
    }
  })

  test('purses and votes lead to their peers, and peers to theirs', async () => {
    const { indexer, cast } = scene
    const { peerKey } = cast.solvers[0]
    const { purses } = await indexer.query<{ purses: { items: { earnedWei: string; peer: unknown }[] } }>(
      `{ purses(where: { peerKey: "${peerKey}" }) { items { earnedWei peer { peerKey purse { earnedWei } } } } }`,
    )
    const earnedWei = purses.items[0]?.earnedWei
    expect(BigInt(earnedWei ?? 0)).toBeGreaterThan(0n)
    expect(purses).toEqual({ items: [{ earnedWei, peer: { peerKey, purse: { earnedWei } } }] })
    const { peer } = await indexer.query<{ peer: { earnings: { items: { amountWei: string }[] } } }>(
      `{ peer(peerKey: "${peerKey}") {
        standing { rank }
        earnings(limit: 1000) { items { amountWei } }
        none: earnings(where: { source: "task" }) { totalCount }
      } }`,
    )
    const sum = peer.earnings.items.reduce((total, { amountWei }) => total + BigInt(amountWei), 0n)
    expect(peer).toMatchObject({ standing: { rank: expect.any(Number) }, none: { totalCount: 0 } })
    expect(String(sum)).toBe(earnedWei)
    const { round } = await indexer.query(
      `{ round(number: 1) {
        peers(orderBy: "ordinal") { items { ordinal peer { peerKey } } }
        votes(where: { peerKey: "${peerKey}" }) {
          totalCount items { peer { peerKey } inRound { number } evaluator { peer { roundsSolved } } voteCommit { shard } }
        }
      } }`,
    )
    const cast0 = { peer: { peerKey }, inRound: { number: 1 }, evaluator: { peer: { roundsSolved: 0 } } }
    const vote = { ...cast0, voteCommit: { shard: 0 } }
    expect(round).toEqual({
      peers: { items: cast.solvers.map((solver, ordinal) => ({ ordinal, peer: { peerKey: solver.peerKey } })) },
      votes: { totalCount: 3, items: [vote, vote, vote] },
    })
  })

  test('games lead to the peers of their Judge, bets to those of who bet, and back', async () => {
    const { chain, indexer } = scene
    const own = async (addressIndex: number) =>
      (await bindPeer(chain, privateKeyToAccount(generatePrivateKey()), mnemonicToAccount(MNEMONIC, { addressIndex })))
        .peerKey
    const [judge, bettor] = [await own(0), await own(22)]
    await indexer.reachTip(chain)
    const { game } = await indexer.query(`{ game(gameId: "0") {
      judgePeers { items { peerKey gamesJudged { items { gameId } } } }
      placed(where: { choice: 2 }) { items { peers { items { peerKey } } } }
    } }`)
    expect(game).toEqual({
      judgePeers: { items: [{ peerKey: judge, gamesJudged: { items: [{ gameId: '0' }] } }] },
      placed: { items: [{ peers: { items: [{ peerKey: bettor }] } }] },
    })
    expect(await indexer.query(`{ peer(peerKey: "${bettor}") { bets { items { choice game { gameId } } } } }`)).toEqual(
      { peer: { bets: { items: [{ choice: 2, game: { gameId: '0' } }] } } },
    )
  })
}
