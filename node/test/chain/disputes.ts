import { expect, test } from 'vitest'
import { readAppealBond } from '#chain/challenges/appeals.ts'
import type { PeerKey } from '#core/hashes.ts'
import { ballotsOn } from '#roles/appellant/chooseScores.ts'
import { disputedBy, readDisputeRecords } from '#roles/evaluator/disputeRecords.ts'
import type { PeerNode } from '#roles/peerNode.ts'
import type { ChainScene } from './chainScene.ts'

/** The newest settled score, on which two of its three seats disagree: an appeal of it, and what jurors make of those seats. */
export function testDisputes(scene: ChainScene): void {
  test('seats that dispute a score which a jury confirms are told from the chain, as soon as its verdicts are open', async () => {
    const { local, seated, newPeer, enter, sealedVerdicts } = scene
    const { chain } = await newPeer()
    const opened = (await chain.rounds.read()).round
    const round = opened - 3
    const [settled] = await chain.readSettlements(round)
    if (settled === undefined) throw new Error('nothing is settled')
    const { peerKey, scoreMilli } = settled
    const [commitments, votes] = await Promise.all([
      chain.readRolloutCommitments(round),
      chain.readRevealedVotes(round),
    ])
    const facts = {
      commitments: async () => commitments,
      votes: async () => votes,
      settlements: chain.readSettlements,
    }
    const recordsAt = (last: number) => readDisputeRecords({ chain } as unknown as PeerNode, facts, last)
    const ballots = ballotsOn({ commitments, votes }, peerKey)
    expect(disputedBy(ballots, scoreMilli, await recordsAt(opened))).toBe(2)

    const bondWei = await readAppealBond(chain.client, chain.contracts, 1)
    expect(await chain.appealScore({ round, peerKey, level: 1, dueRound: opened, bondWei })).toMatchObject({
      status: 'mined',
    })
    await enter(opened + 1)
    const jury = await chain.readJury(round, peerKey)
    const verdicts = seated.map(seat => {
      const position = jury.indexOf(seat.identity.peerKey)
      return seat.chain.giveVerdict({ round, peerKey, level: 1, openedRound: opened, position, scoreMilli })
    })
    await local.client.mine({ blocks: 1 })
    await expect.poll(() => sealedVerdicts(round)).toBe(seated.length)
    expect((await recordsAt(opened + 1)).size, 'sealed verdicts say nothing').toBe(0)
    await enter(opened + 2)
    for (const verdict of verdicts) expect(await verdict.opened).toMatchObject({ status: 'mined' })

    const records = await recordsAt(opened + 2)
    const off: [PeerKey, number][] = ballots.filter(({ vote }) => vote !== scoreMilli).map(one => [one.seatKey, 1])
    expect([...records].sort()).toEqual(off.sort())
    expect(disputedBy(ballots, scoreMilli, records)).toBe(0)
    expect((await recordsAt(opened + 10)).size, 'eight rounds later it is forgotten').toBe(0)
  })
}
