import { parseUnits } from 'viem'
import { expect, test } from 'vitest'
import { playGame } from '../playGame.ts'
import type { Scene } from './scene.ts'

/** Games of the market. */
export function testMarket(scene: Scene): void {
  test('a game of the market shows its terms, bets, clues and payouts', async () => {
    const { chain, indexer } = scene
    // A null character, which the database would refuse.
    const { judge, right, wrong, patient, ...game0 } = await playGame(chain, '{"question":"which?\0"}')
    const { startsAtSec, disputedAtSec, withdraw, claimableOf } = game0
    await indexer.reachTip(chain)
    const { game } = await indexer.query(`{ game(gameId: "0") {
      judge details roundCount choiceCount startsAtSec disputer disputedAtSec bond feeBps fee status roundsOpened bets totalStake answer winner pot paidOut
      choices(orderBy: "choice") { items { choice stake } }
      clues { items { round clue } }
      placed(orderBy: "id") { items { account holder round choice stake shares } }
      payouts { items { account payout } }
    } }`)
    const token = (amount: number) => String(parseUnits(String(amount), 18))
    const bet = (account: string, choice: number, stake: number) => ({
      account: account.toLowerCase(),
      holder: `0x${account.slice(2).toLowerCase().padStart(64, '0')}`,
      round: 0,
      choice,
      stake: token(stake),
      shares: token(stake),
    })
    expect(game).toEqual({
      judge: judge.toLowerCase(),
      details: '{"question":"which?\ufffd"}',
      roundCount: 1,
      choiceCount: 3,
      startsAtSec,
      disputer: wrong.toLowerCase(),
      disputedAtSec,
      bond: token(10),
      feeBps: 500,
      fee: token(0.3),
      status: 'resolved',
      roundsOpened: 1,
      bets: 3,
      totalStake: token(11),
      answer: 1,
      winner: 1,
      pot: token(5.7),
      paidOut: token(8.56),
      choices: {
        items: [
          { choice: 0, stake: '0' },
          { choice: 1, stake: token(5) },
          { choice: 2, stake: token(6) },
        ],
      },
      clues: { items: [{ round: 0, clue: 'a clue' }] },
      placed: { items: [bet(right, 1, 4), bet(wrong, 2, 6), bet(patient, 1, 1)] },
      payouts: { items: [{ account: right.toLowerCase(), payout: token(8.56) }] },
    })
    const { gameHoldings } = await indexer.query(
      '{ gameHoldings(where: { gameId: "0" }, orderBy: "staked") { items { account staked claimed claimable } } }',
    )
    const held = (account: string, staked: number, claimed: number, claimable: number) => {
      const amounts = { staked: token(staked), claimed: token(claimed), claimable: token(claimable) }
      return { account: account.toLowerCase(), ...amounts }
    }
    expect(gameHoldings).toEqual({ items: [held(patient, 1, 0, 2.14), held(right, 4, 8.56, 0), held(wrong, 6, 0, 0)] })
    expect(token(2.14)).toBe(String(await claimableOf(patient)))
    const { feedItems } = await indexer.query<{ feedItems: { items: { kind: string; detail: unknown }[] } }>(
      `{ feedItems(where: { kind_in: [gameOpened, betPlaced, clueProven, gameAnswered, gameResolved, winningsTaken] }, orderBy: "id") {
        items { kind detail }
      } }`,
    )
    const [opened, , second, , ...rest] = feedItems.items
    expect(opened).toEqual({ kind: 'gameOpened', detail: { gameId: '0', judge: expect.stringMatching(/^0x/) } })
    expect(second).toMatchObject({
      kind: 'betPlaced',
      detail: { gameId: '0', bettingRound: 0, choice: 2, stakeWei: token(6) },
    })
    expect(rest.map(({ kind }) => kind)).toEqual(['clueProven', 'gameAnswered', 'gameResolved', 'winningsTaken'])
    const account = judge.toLowerCase()
    const bond = () =>
      indexer.query(
        `{ credits(where: { source: market, account: "${account}" }) { items { account credited withdrawn owed } } }`,
      )
    const credited = { account, credited: token(10.3) }
    expect(await bond()).toEqual({ credits: { items: [{ ...credited, withdrawn: '0', owed: token(10.3) }] } })
    await withdraw()
    await indexer.reachTip(chain)
    expect(await bond()).toEqual({ credits: { items: [{ ...credited, withdrawn: token(10.3), owed: '0' }] } })
  })
}
