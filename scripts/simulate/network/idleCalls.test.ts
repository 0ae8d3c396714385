import { expect, test } from 'vitest'
import { silentLogger } from '../../../node/src/core/logger.ts'
import { showDemanded } from '../../../node/src/roles/duties/showDemanded.ts'
import { judgeOpenDisputes } from '../../../node/src/roles/evaluator/startEvaluator.ts'
import { sessionOfNode, watchGames } from '../../../node/src/roles/games/watchGames.ts'
import type { SimulatedPeer } from './simulatedPeer.ts'
import { simulateSwarm } from './simulateSwarm.ts'

/** Duties reach three rounds back, and a key counts from its second round. */
const FIRST_ROUND = 5
const ROUNDS = 4

/** An evaluator's work besides voting, as `startEvaluator.ts` starts it. */
function startOtherDuties({ node }: SimulatedPeer): void {
  if (node === null) throw new Error('the evaluator has not started')
  const seat = { session: sessionOfNode(node, ''), rules: {} as never, logger: silentLogger }
  void watchGames(node, roundSec => judgeOpenDisputes(seat, roundSec))
  void showDemanded(node, 'others')
}

/** Calls a second of an evaluator that is alone, so that it fixes and records every beacon itself. */
async function callsOf(blockSec: number, roundSec: number): Promise<number> {
  const calls: number[] = []
  await simulateSwarm({
    ...{ seed: 'idle', peers: 1, rounds: FIRST_ROUND + ROUNDS, roundSec, blockSec },
    faults({ time, peers: [peer] }) {
      if (peer === undefined) return
      const count = () => void calls.push(peer.endpoints.reduce((sum, one) => sum + one.calls, 0))
      time.after(5_000, () => startOtherDuties(peer))
      for (const round of [FIRST_ROUND, FIRST_ROUND + ROUNDS]) time.after((60 + round * roundSec) * 1000, count)
    },
  })
  const [before = 0, after = 0] = calls
  return (after - before) / (ROUNDS * roundSec)
}

test.each([
  [2, 120, 0.87],
  [12, 600, 0.21],
])(
  'at blocks of %i s and rounds of %i s an idle evaluator makes fewer than %f calls a second',
  async (blockSec, roundSec, most) => {
    const calls = await callsOf(blockSec, roundSec)
    expect(calls).toBeLessThan(most)
    // It still follows the chain: a block in four at the least.
    expect(calls).toBeGreaterThan(1 / (4 * blockSec))
  },
)
