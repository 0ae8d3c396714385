import { peerName } from '@waggle/node/core/peerName'
import { expect, test } from 'vitest'
import { BOOTSTRAP_ROUNDS } from '../testChain.ts'
import type { Scene } from './scene.ts'

/** Members: seats, points, Nectar, stakes. */
export function testPeers(scene: Scene): void {
  test('evaluators show how often they voted, and the rounds that they sat', async () => {
    const { indexer } = scene
    const { evaluators } = await indexer.query(`{
      evaluators { totalCount items {
        fromRound untilRound votesCommitted votesRevealed seats { totalCount } peer { lastActiveRound }
      } }
    }`)
    const { evaluatorSeats } = await indexer.query(`{
      evaluatorSeats(where: { fromRound_lte: 3, OR: [{ untilRound: null }, { untilRound_gt: 3 }] }) { totalCount }
    }`)
    expect(evaluatorSeats).toEqual({ totalCount: 3 })
    const votes = { votesCommitted: 3, votesRevealed: 2, peer: { lastActiveRound: 3 } }
    // By the role: until bootstrap ends.
    const seat = { fromRound: 0, untilRound: Number(BOOTSTRAP_ROUNDS), ...votes, seats: { totalCount: 1 } }
    expect(evaluators).toEqual({ totalCount: 3, items: [seat, seat, seat] })
  })

  test('standings are ordered, paged and counted', async () => {
    const { indexer, cast } = scene
    const page = (offset: number) =>
      indexer.query<{
        standings: { totalCount: number; items: { rank: number; peerId: string }[]; pageInfo: unknown }
      }>(
        `{ standings(orderBy: "rank", limit: 4, offset: ${offset}) { totalCount items { rank peerId } pageInfo { hasNextPage hasPreviousPage } } }`,
      )
    const [one, two] = [await page(0), await page(4)]
    expect(one.standings.totalCount).toBe(6)
    expect(one.standings.items.map(({ rank }) => rank)).toEqual([1, 2, 3, 4])
    expect(one.standings.items[0]?.peerId).toBe(cast.solvers[0].peerId)
    expect(one.standings.pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: false })
    expect(two.standings.items.map(({ rank }) => rank)).toEqual([5, 6])
    expect(two.standings.pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: true })
  })

  test('a peer is found by its name or id where its key is asked for, and accounts in any case', async () => {
    const { indexer, cast } = scene
    const [{ peerId, peerKey, account }] = cast.solvers
    for (const named of [peerKey, peerKey.toUpperCase().replace('0X', '0x'), peerId, peerName(peerId)])
      expect(await indexer.query(`{ peer(peerKey: "${named}") { peerId } }`), named).toEqual({ peer: { peerId } })
    const { peers } = await indexer.query<{ peers: { totalCount: number } }>(
      `{ peers(where: { account: "${account.address.toUpperCase().replace('0X', '0x')}" }) { totalCount } }`,
    )
    expect(peers.totalCount).toBeGreaterThan(0)
  })

  test('a question that costs too much is refused, and the page to ask by hand loads nothing from elsewhere', async () => {
    const { indexer } = scene
    const ask = (body: string) => fetch(`${indexer.url}/graphql`, { method: 'POST', body })
    const query = '{ peers(limit: 1000) { items { settlements(limit: 1000) { items { round } } } } }'
    const refused = await ask(JSON.stringify({ query }))
    expect(refused.status).toBe(400)
    expect(await refused.json()).toEqual({ errors: [{ message: expect.stringContaining('50000 at most') }] })
    for (const broken of ['', '[]', '{"query":"{ peers {"}', `{"query":"${'a'.repeat(40_000)}"}`])
      expect((await ask(broken)).status, broken.slice(0, 20)).toBe(400)
    const page = await (await fetch(`${indexer.url}/graphql`)).text()
    expect(page).toContain("<title>Waggle's index</title>")
    expect(page).not.toMatch(/https?:\/\/|src=/)
  })

  test('every table and column says what it is', async () => {
    const { indexer } = scene
    interface Described {
      name: string
      description: string | null
      fields: Described[] | null
    }
    const { __schema } = await indexer.query<{ __schema: { queryType: Described; types: Described[] } }>(
      '{ __schema { queryType { fields { name description } } types { name description fields { name description } } } }',
    )
    const tables = __schema.types.filter(({ name }) => __schema.types.some(page => page.name === `${name}Page`))
    expect(tables.length).toBeGreaterThan(35)
    const bare = [...tables, { ...__schema.queryType, name: 'Query', description: '' }].flatMap(table => {
      const fields = table.fields?.filter(({ name, description }) => !description && name !== '_meta') ?? []
      return [...(table.description === null ? [table.name] : []), ...fields.map(({ name }) => `${table.name}.${name}`)]
    })
    expect(bare).toEqual([])
  })

  test('standings are searched by name, peer id, account or key, and keep their rank', async () => {
    const { indexer, cast } = scene
    const [{ peerId, peerKey, account }] = cast.solvers
    const found = async (where: string) =>
      (
        await indexer.query<{ standings: { items: unknown[] } }>(
          `{ standings(where: ${where}) { items { rank peerId } } }`,
        )
      ).standings.items
    for (const where of [
      `{ name_contains_nocase: "${peerName(peerId).toUpperCase()}" }`,
      `{ peerId_starts_with: "${peerId.slice(0, 20)}" }`,
      `{ account: "${account.address}" }`,
      `{ peerKey: "${peerKey}" }`,
      `{ OR: [{ peerId_contains: "${peerId}" }, { account: "${peerId}" }] }`,
    ])
      expect(await found(where), where).toEqual([{ rank: 1, peerId }])
    expect(await found('{ name_contains_nocase: "no such peer" }')).toEqual([])
  })

  test('a peer alone has the rank and points that the leaderboard gives it', async () => {
    const { indexer, cast } = scene
    const fields = 'peerKey rank finalPointsMilli provisionalPointsMilli contestedPointsMilli contestedRounds'
    const board = await indexer.query<{ standings: { items: { rank: number; peerKey: string }[] } }>(
      `{ standings(orderBy: "rank") { items { ${fields} } } }`,
    )
    const keys = JSON.stringify(board.standings.items.map(({ peerKey }) => peerKey))
    const alone = await indexer.query(
      `{ peerStandings(where: { peerKey_in: ${keys} }, orderBy: "rank") { items { ${fields} } } }`,
    )
    expect(alone.peerStandings).toEqual(board.standings)
    const { peerStandings } = await indexer.query(
      `{ peerStandings(where: { peerKey: "${cast.solvers[0].peerKey}" }) { items { ${fields} } } }`,
    )
    expect(peerStandings).toEqual({ items: [board.standings.items[0]] })
    const page = `{ standings(where: { rank_gt: 2, rank_lte: 4 }, orderBy: "rank") { items { ${fields} } } }`
    expect((await indexer.query(page)).standings).toEqual({ items: board.standings.items.slice(2, 4) })
  })

  test('points are provisional until the round is final, and nothing has to be sent for that', async () => {
    const { chain, indexer } = scene
    const standing = async () =>
      (
        await indexer.query<{ standings: { items: unknown[] } }>(
          '{ standings(where: { rank: 1 }) { items { pointsMilli finalPointsMilli provisionalPointsMilli } } }',
        )
      ).standings.items[0]
    expect(await standing()).toEqual({ pointsMilli: '600', finalPointsMilli: '0', provisionalPointsMilli: '600' })
    await chain.enter(5)
    await indexer.reachTip(chain)
    expect(await standing()).toEqual({ pointsMilli: '600', finalPointsMilli: '600', provisionalPointsMilli: '0' })
  })

  test('nectar is claimed once its round is final, and the index adds it up', async () => {
    const { chain, indexer, cast } = scene
    const claimedWei = await chain.claim(cast.solvers[0])
    expect(claimedWei).toBe(1_000n * 10n ** 18n)
    await indexer.reachTip(chain)
    const { peer } = await indexer.query(`{ peer(peerKey: "${cast.solvers[0].peerKey}") { claimedWei } }`)
    expect(peer).toEqual({ claimedWei: String(claimedWei) })
  })

  test('a stake, its notice and a seat of the rounds after bootstrap are reported', async () => {
    const { chain, indexer, cast } = scene
    const [solver] = cast.solvers
    await chain.stake(solver)
    await indexer.reachTip(chain)
    const question = `{
      stakes { items { peerKey duty amountWei slashedWei freeFromRound } }
      slashings { totalCount }
      evaluator(peerKey: "${solver.peerKey}") { fromRound untilRound stakedFromRound }
      evaluatorSeats(where: { peerKey: "${solver.peerKey}" }) { items { fromRound untilRound } }
    }`
    const bootstrap = Number(BOOTSTRAP_ROUNDS)
    const held = { peerKey: solver.peerKey, duty: 'evaluator', amountWei: String(10n ** 20n), slashedWei: '0' }
    expect(await indexer.query(question)).toEqual({
      stakes: { items: [{ ...held, freeFromRound: null }] },
      slashings: { totalCount: 0 },
      evaluator: { fromRound: bootstrap, untilRound: null, stakedFromRound: bootstrap },
      evaluatorSeats: { items: [{ fromRound: bootstrap, untilRound: null }] },
    })
    const freeFromRound = await chain.unstake(solver)
    await indexer.reachTip(chain)
    const after = await indexer.query(question)
    expect(after.stakes).toEqual({ items: [{ ...held, freeFromRound }] })
    expect(after.evaluator).toMatchObject({ stakedFromRound: null })
  })

  test('the account that appealed reports what an overturned seat paid it', async () => {
    const { chain, indexer, cast } = scene
    const [slashed, appellant] = cast.solvers
    await chain.slash(slashed, 500, appellant.account.address)
    await indexer.reachTip(chain)
    const account = appellant.account.address.toLowerCase()
    const half = String(25n * 10n ** 18n)
    expect(
      await indexer.query(`{
        compensations { items { account peerKey duty amountWei } }
        peerCompensations { items { peerKey account amountWei } }
        standings(where: { compensationWei_gt: "0" }) { items { peerKey compensationWei } }
        slashings { items { peerKey lostWei } }
        feedItems(where: { kind: compensated }) { items { peerKey } }
      }`),
    ).toEqual({
      compensations: { items: [{ account, peerKey: slashed.peerKey, duty: 'evaluator', amountWei: half }] },
      peerCompensations: { items: [{ peerKey: appellant.peerKey, account, amountWei: half }] },
      standings: { items: [{ peerKey: appellant.peerKey, compensationWei: half }] },
      slashings: { items: [{ peerKey: slashed.peerKey, lostWei: String(50n * 10n ** 18n) }] },
      feedItems: { items: [{ peerKey: slashed.peerKey }] },
    })
  })

  test('a peer that moves to another account keeps its history, and a newcomer counts from the second round on', async () => {
    const { chain, indexer, cast } = scene
    const moved = await chain.move(cast.solvers[1])
    cast.solvers[1] = moved
    await indexer.reachTip(chain)
    const { peer } = await indexer.query(
      `{ peer(peerKey: "${moved.peerKey}") { account moves roundsSolved countsFromRound } }`,
    )
    expect(peer).toEqual({
      account: moved.account.address.toLowerCase(),
      moves: 1,
      roundsSolved: 4,
      countsFromRound: 0,
    })
    const late = await chain.register()
    await indexer.reachTip(chain)
    const { peer: newcomer } = await indexer.query(`{ peer(peerKey: "${late.peerKey}") { countsFromRound } }`)
    expect(newcomer).toEqual({ countsFromRound: (await chain.currentRound()) + 2 })
  })

  test('a seat that is given up and taken again is two spans', async () => {
    const { chain, indexer, cast } = scene
    const [evaluator] = cast.evaluators
    await chain.remove(evaluator)
    await chain.enter(7)
    await chain.admit(evaluator)
    await indexer.reachTip(chain)
    const { evaluator: row } = await indexer.query(`{ evaluator(peerKey: "${evaluator.peerKey}") {
      fromRound untilRound seats(orderBy: "fromRound") { items { fromRound untilRound } }
    } }`)
    expect(row).toEqual({
      fromRound: 8,
      untilRound: Number(BOOTSTRAP_ROUNDS),
      seats: {
        items: [
          { fromRound: 0, untilRound: 6 },
          // By the role: until bootstrap ends.
          { fromRound: 8, untilRound: Number(BOOTSTRAP_ROUNDS) },
        ],
      },
    })
  })

  test('an evaluator that leaves its staked seat before it began keeps the span of its last seat', async () => {
    const { chain, indexer, cast } = scene
    const [, evaluator] = cast.evaluators
    const [{ account }] = cast.solvers
    const args = [evaluator.account.address, 10n ** 20n] as const
    await chain.mined(
      chain.client.writeContract({ ...chain.contracts.nectar, account, functionName: 'transfer', args }),
    )
    await chain.stake(evaluator)
    await chain.remove(evaluator)
    await chain.unstake(evaluator)
    await indexer.reachTip(chain)
    const question = `{ evaluator(peerKey: "${evaluator.peerKey}") {
      fromRound untilRound admittedFromRound stakedFromRound
    } }`
    expect(await indexer.query(question)).toEqual({
      evaluator: { fromRound: 0, untilRound: 8, admittedFromRound: null, stakedFromRound: null },
    })
    await chain.admit(evaluator)
    await indexer.reachTip(chain)
    expect(await indexer.query(question)).toMatchObject({
      evaluator: { fromRound: 8, untilRound: Number(BOOTSTRAP_ROUNDS) },
    })
  })
}
