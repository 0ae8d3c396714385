import { expect, test } from 'vitest'
import { challengeLeaf, commitLeaves } from '../playChallenges.ts'
import { ROUND_SECONDS, until } from '../testChain.ts'
import type { Scene } from './scene.ts'

/** A schedule that changes, and blocks that are taken back. */
export function testClock(scene: Scene): void {
  test('a new schedule moves the times of rounds that have not begun, and of when a lost round is final', async () => {
    const { chain, indexer, cast } = scene
    const solver = cast.solvers[1]
    await chain.enter(8)
    await chain.commitSecret(cast.proposer, 10)
    const work = await commitLeaves(chain, solver, 8)
    await chain.enter(9)
    await challengeLeaf(chain, work)
    await chain.propose(cast.proposer, 10, 8)
    await chain.setSchedule(10, ROUND_SECONDS / 2)
    await indexer.reachTip(chain)
    const { rounds } = await indexer.query(
      '{ rounds(where: { number_gte: 10 }) { items { number startsAtSec endsAtSec } } }',
    )
    const [startsAtSec, endsAtSec] = await chain.timesOf(10)
    expect(rounds).toEqual({
      items: [{ number: 10, startsAtSec: Number(startsAtSec), endsAtSec: Number(endsAtSec) }],
    })
    const lost = await indexer.query(`{ settlement(round: 8, peerKey: "${solver.peerKey}") { outcome finalAtSec } }`)
    const [finalAtSec] = await chain.timesOf(12)
    expect(lost).toEqual({ settlement: { outcome: 'falseLeaf', finalAtSec: Number(finalAtSec) } })
  })

  test('a reorganisation takes back what it undid', async () => {
    const { chain, indexer } = scene
    const count = async () =>
      (await indexer.query<{ peers: { totalCount: number } }>('{ peers { totalCount } }')).peers.totalCount
    const before = await count()
    await chain.register()
    await until(async () => (await count()) === before + 1)
    await chain.reorganise(1)
    await until(async () => (await count()) === before)
  })
}
