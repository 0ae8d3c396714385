import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { testChallenges } from './events/challenges.ts'
import { testClaims } from './events/claims.ts'
import { testClock } from './events/clock.ts'
import { testContradictions } from './events/contradictions.ts'
import { testEarnings } from './events/earnings.ts'
import { testLinks } from './events/links.ts'
import { testLive } from './events/live.ts'
import { testMarket } from './events/market.ts'
import { testOpenings } from './events/openings.ts'
import { testPeers } from './events/peers.ts'
import { testRefusals } from './events/refusals.ts'
import { testRounds } from './events/rounds.ts'
import type { Scene } from './events/scene.ts'
import { gather, playRound } from './play.ts'
import { TestChain } from './testChain.ts'
import { TestIndexer } from './testIndexer.ts'

// A start takes 5 s of work, and on a busy machine much longer.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

const folder = mkdtempSync(join(tmpdir(), 'waggle-index-'))
const scene = {} as Scene

/** Rounds 0 to 4, with amendments in round 1: in the end round 1 is settled and not yet final. */
beforeAll(async () => {
  const chain = await TestChain.start(folder)
  scene.chain = chain
  const starting = TestIndexer.spawn(chain, join(folder, 'index'))
  const cast = await gather(chain)
  await chain.importLeaderboard([
    { peerId: 'QmClaimed', rewards: -7n, wins: 12n },
    { peerId: 'QmElsewhere', rewards: 3n, wins: 0n },
  ])
  await chain.enter(0)
  await chain.commitSecret(cast.proposer, 2)
  for (const round of [0, 1, 2, 3, 4]) {
    if (round > 0) await chain.enter(round)
    if (round === 1) await chain.commit(cast.solvers[0], 1, 32)
    await playRound(chain, cast, round)
  }
  const indexer = await starting
  await indexer.reachTip(chain)
  Object.assign(scene, { indexer, cast })
})

afterAll(async () => {
  await TestIndexer.endAll()
  scene.chain?.stop()
  rmSync(folder, { recursive: true, force: true })
})

testRounds(scene)
testPeers(scene)
testClock(scene)
testMarket(scene)
testChallenges(scene)
testOpenings(scene)
testEarnings(scene)
testClaims(scene)
testLinks(scene)
testRefusals(scene)

test('only these events were needed, without a warning', () => {
  expect(scene.indexer.complaints).toEqual([])
})

testContradictions(scene)
testLive(scene)
