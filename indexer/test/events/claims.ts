import { swarmCoordinatorAbi } from '@waggle/deployments/abi'
import { readDeployment } from '@waggle/deployments/record'
import { expect, test } from 'vitest'
import type { Scene } from './scene.ts'

/** Reports of RL Swarm's nodes about themselves. */
export function testClaims(scene: Scene): void {
  test('claims of existing nodes are told apart, whatever they claim, and change no points', async () => {
    const { chain, indexer, cast } = scene
    const { address } = readDeployment(chain.recordPath).contracts.SwarmCoordinator
    const [{ account }] = cast.solvers
    const coordinator = { address, abi: swarmCoordinatorAbi, account } as const
    const standings = () => indexer.query(`{ standings(orderBy: "rank") { items { peerId pointsMilli } } }`)
    const before = await standings()
    const claimed = 'QmClaimed'
    const winners = [claimed, 'nobody \0 at all', 'x'.repeat(129)]
    const { client } = chain
    await chain.mined(client.writeContract({ ...coordinator, functionName: 'registerPeer', args: [claimed] }))
    const lowest = -(2n ** 255n)
    for (const [round, reward] of [
      [0n, lowest],
      [1n, 2n ** 255n - 1n],
    ] as const)
      await chain.mined(
        client.writeContract({
          ...{ ...coordinator, functionName: 'submitReward', args: [round, 0n, reward, claimed] },
        }),
      )
    await chain.mined(
      client.writeContract({ ...coordinator, functionName: 'submitWinners', args: [1n, winners, claimed] }),
    )
    await indexer.reachTip(chain)
    const { claimedPeers } = await indexer.query<{ claimedPeers: { items: unknown[] } }>(
      `{ claimedPeers(orderBy: "timesNamed", orderDirection: "desc") { items {
        peerId account claimedRewards rewardsSubmitted roundsVoted timesNamed lastRound importedRewards importedWins
      } } }`,
    )
    const notImported = { importedRewards: null, importedWins: null }
    const unheard = { account: null, claimedRewards: '0', rewardsSubmitted: 0, roundsVoted: 0, lastRound: null }
    expect(claimedPeers.items).toHaveLength(3)
    expect(claimedPeers.items).toContainEqual({
      ...{ peerId: claimed, account: account.address.toLowerCase(), claimedRewards: '-1' },
      ...{ rewardsSubmitted: 2, roundsVoted: 1, timesNamed: 1, lastRound: '1' },
      ...{ importedRewards: '-7', importedWins: '12' },
    })
    expect(claimedPeers.items).toContainEqual({
      ...{ ...unheard, ...notImported, peerId: 'nobody \ufffd at all', timesNamed: 1 },
    })
    expect(claimedPeers.items).toContainEqual({
      ...{ ...unheard, peerId: 'QmElsewhere', timesNamed: 0, importedRewards: '3', importedWins: '0' },
    })
    expect(await standings()).toEqual(before)
  })
}
