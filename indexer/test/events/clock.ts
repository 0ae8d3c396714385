import { expect, test } from 'vitest'
import { ROUND_SECONDS, until } from '../testChain.ts'
import type { Scene } from './scene.ts'

/** A schedule that changes, and blocks that are taken back. */
export function testClock(scene: Scene): void {
  test('a new schedule moves the times of rounds that are announced but have not begun', async () => {
    const { chain, indexer, cast } = scene
    await chain.commitSecret(cast.proposer, 9)
    await chain.enter(8)
    await chain.propose(cast.proposer, 9, 8)
    await chain.setSchedule(9, ROUND_SECONDS / 2)
    await indexer.reachTip(chain)
    const { rounds } = await indexer.query(
      '{ rounds(where: { number_gte: 9 }) { items { number startsAtSec endsAtSec } } }',
    )
    const expected = []
    for (const number of [9]) {
      const [startsAtSec, endsAtSec] = await chain.timesOf(number)
      expected.push({ number, startsAtSec: Number(startsAtSec), endsAtSec: Number(endsAtSec) })
    }
    expect(rounds).toEqual({ items: expected })
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
