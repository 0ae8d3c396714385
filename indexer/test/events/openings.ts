import { peerName } from '@waggle/node/core/peerName'
import { type Hex, keccak256, stringToBytes } from 'viem'
import { expect, test } from 'vitest'
import { playOpenings, readNectarOf } from '../playOpenings.ts'
import type { Scene } from './scene.ts'

/** 4 m (1 - m) of 100 Nectar, for a median of 610. */
const TASK_PAY = `9516${'0'.repeat(16)}`

type Rows = { items: Record<string, string>[] }
type Told = Record<'openings' | 'agreedLeafs' | 'taskPays' | 'earnings', Rows> & {
  peers: { items: { purse: Record<string, string> }[] }
}

/** Earnings of openings and tasks, and losses of a proposer. */
export function testOpenings(scene: Scene): void {
  let played: Awaited<ReturnType<typeof playOpenings>>

  test('a withheld secret is reported with what its proposer lost', async () => {
    const { chain, indexer, cast } = scene
    const [rival, solver] = cast.solvers
    const { peerKey } = rival
    await chain.stake(rival, 'proposer')
    played = await playOpenings(chain, { ...cast, solver, rival })
    await indexer.reachTip(chain)
    const told = await indexer.query(`{
      withheldSecret(round: ${played.round}, peerKey: "${peerKey}") { lostWei challenger }
      proposal(round: ${played.round}, peerKey: "${peerKey}") { count }
      stake(peerKey: "${peerKey}", duty: "proposer") { amountWei slashedWei }
      slashings(where: { peerKey: "${peerKey}", duty: proposer }) { items { duty lostWei } }
      feedItems(where: { kind: secretWithheld }) { items { round peerKey } }
    }`)
    const lostWei = `5${'0'.repeat(17)}`
    const challenger = chain.client.account.address.toLowerCase()
    expect(told).toEqual({
      withheldSecret: { lostWei, challenger },
      proposal: null,
      stake: { amountWei: `495${'0'.repeat(17)}`, slashedWei: lostWei },
      slashings: { items: [{ duty: 'proposer', lostWei }] },
      feedItems: { items: [{ round: played.round, peerKey }] },
    })
  })

  test('openings and tasks are paid as told, and what everybody earned is what the contracts have, to the last wei', async () => {
    const { chain, indexer, cast } = scene
    const { round, solver, index } = played
    await indexer.reachTip(chain)
    const told = await indexer.query<Told>(`{
      openings(where: { round: ${round} }, orderBy: "scoreMilli") { items { evaluatorKey index scoreMilli paidWei } }
      agreedLeafs(where: { round: ${round} }) { items { shard index medianMilli } }
      taskPays(where: { round: ${round} }) { items { proposerKey taskIndex amountWei } }
      earnings(where: { round: ${round} }, orderBy: "amountWei") { items { peerKey source amountWei } }
      peers(limit: 1000) { items { purse { peerKey peerId name earnedWei claimedWei claimableWei } } }
    }`)
    const { openings, agreedLeafs, taskPays, earnings, peers } = told
    const paid = openings?.items ?? []
    expect(paid.map(({ evaluatorKey, scoreMilli }) => [evaluatorKey, scoreMilli])).toEqual(
      cast.evaluators.map(({ peerKey }, seat) => [peerKey, 600 + 10 * seat]),
    )
    expect(agreedLeafs?.items).toEqual([{ shard: 0, index, medianMilli: 610 }])
    const task = { proposerKey: cast.proposer.peerKey, taskIndex: 1, amountWei: TASK_PAY }
    expect(taskPays?.items).toEqual([task])
    const earned = (source: string) => earnings?.items.filter(one => one.source === source)
    expect(earned('score')).toEqual([{ peerKey: solver.peerKey, source: 'score', amountWei: `1${'0'.repeat(21)}` }])
    expect(earned('task')).toEqual([{ peerKey: task.proposerKey, source: 'task', amountWei: task.amountWei }])
    expect(
      earned('opening')
        ?.map(({ peerKey, amountWei }) => [peerKey, amountWei])
        .sort(),
    ).toEqual(paid.map(({ evaluatorKey, paidWei }) => [evaluatorKey, paidWei]).sort())
    // Every peer's, over all rounds that this chain has seen.
    for (const { peerKey = '', peerId = '', name, earnedWei, ...held } of peers.items.map(({ purse }) => purse)) {
      expect([keccak256(stringToBytes(peerId)), name]).toEqual([peerKey, peerName(peerId)])
      expect(held).toEqual(await readNectarOf(chain, peerKey as Hex))
      expect(BigInt(earnedWei ?? 0)).toBe(BigInt(held.claimedWei ?? 0) + BigInt(held.claimableWei ?? 0))
    }
  })
}
