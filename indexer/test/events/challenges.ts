import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import {
  appeal,
  challengeLeaf,
  closeAppeal,
  closeDemand,
  commitLeaves,
  commitVerdict,
  demandLeaf,
  showLeaf,
  withdraw,
} from '../playChallenges.ts'
import { UNAVAILABLE } from '../testChain.ts'
import type { TestPeer } from '../testPeers.ts'
import type { Scene } from './scene.ts'

/** Leaves that are false or demanded, and scores that are appealed. */
export function testChallenges(scene: Scene): void {
  test('a false leaf and a withheld one cost their peers the round, and one that is shown does not', async () => {
    const { chain, indexer, cast } = scene
    const round = await chain.currentRound()
    const peers = [cast.proposer, ...cast.solvers] as const
    const [falsified, withholding, honest] = [
      await commitLeaves(chain, peers[0], round),
      await commitLeaves(chain, peers[1], round),
      await commitLeaves(chain, peers[2], round),
    ]
    await chain.enter(round + 1)
    await challengeLeaf(chain, falsified)
    const withheld = await demandLeaf(chain, withholding, 0)
    const shown = await demandLeaf(chain, honest, 1)
    await showLeaf(chain, honest, shown)
    await chain.enter(round + 3)
    // Settled while its demand is open: that is not final, whenever it is closed.
    await chain.settle(round, [peers[1]])
    expect(await stateOf(scene, round, peers[1])).toEqual({ outcome: 'noQuorum', scoreMilli: 0, state: 'contested' })
    await closeDemand(chain, withholding, withheld)
    expect(await stateOf(scene, round, peers[1])).toEqual({ outcome: 'withheld', scoreMilli: 0, state: 'settled' })
    const rows = await indexer.query<Record<string, unknown>>(`{
      round(number: ${round}) { settled falseLeaf withheld }
      settlements(where: { round: ${round} }, orderBy: "outcome") { items { peerKey outcome scoreMilli } }
      leafDemands(where: { round: ${round} }, orderBy: "state") { items { peerKey index state bondWei throughRound responder } }
    }`)
    const lost = (peer: (typeof peers)[number], outcome: string) => ({ peerKey: peer.peerKey, outcome, scoreMilli: 0 })
    const demand = { bondWei: `1${'0'.repeat(17)}`, throughRound: round + 2 }
    const responder = peers[2].account.address.toLowerCase()
    expect(rows).toEqual({
      round: { settled: 2, falseLeaf: 1, withheld: 1 },
      settlements: { items: [lost(peers[0], 'falseLeaf'), lost(peers[1], 'withheld')] },
      leafDemands: {
        items: [
          { peerKey: peers[2].peerKey, index: shown, state: 'shown', ...demand, responder },
          { peerKey: peers[1].peerKey, index: withheld, state: 'withheld', ...demand, responder: null },
        ],
      },
    })
  })

  test('balances from challenges are reported by the peers of an account, until they are withdrawn', async () => {
    const { chain, indexer } = scene
    const credits = async () =>
      (
        await indexer.query<{ credits: { items: { account: Hex; owed: string; withdrawn: string }[] } }>(
          '{ credits(where: { source: challenges }) { items { account owed withdrawn } } }',
        )
      ).credits.items
    const creditOf = (account: Hex) =>
      chain.client.readContract({ ...chain.contracts.challenges, functionName: 'creditOf', args: [account] })
    await indexer.reachTip(chain)
    const before = await credits()
    // Accounts that demanded two leaves, and that showed one of them.
    expect(before).toHaveLength(2)
    for (const { account, owed } of before) expect(BigInt(owed), account).toBe(await creditOf(account))
    const responder = before.find(({ account }) => account !== chain.client.account.address.toLowerCase())
    if (responder === undefined) throw new Error('nobody was paid for showing a leaf')
    const { account, owed } = responder
    const { peerCredits } = await indexer.query(`{
      peerCredits(where: { account: "${account}", owed_gt: "0" }) { items { account source owed peerKey } }
    }`)
    expect(peerCredits).toMatchObject({ items: [{ account, source: 'challenges', owed }] })
    await withdraw(chain, account)
    await indexer.reachTip(chain)
    expect((await credits()).find(one => one.account === account)).toEqual({ account, owed: '0', withdrawn: owed })
  })

  test('an appeal replaces the score that was settled, and shows who judged', async () => {
    const { chain, indexer, cast } = scene
    const round = await chain.currentRound()
    const peer = cast.proposer
    await chain.commit(peer, round, 8)
    await chain.enter(round + 1)
    await chain.enter(round + 3)
    await chain.settle(round, [peer])
    expect(await stateOf(scene, round, peer)).toEqual({ outcome: 'noQuorum', scoreMilli: 0, state: 'settled' })
    await appeal(chain, peer, round)
    await chain.enter(round + 4)
    // By time it is final; what is appealed is not.
    expect(await stateOf(scene, round, peer)).toEqual({ outcome: 'noQuorum', scoreMilli: 0, state: 'contested' })
    expect(await standingOf(scene, peer)).toMatchObject({ contestedPointsMilli: '0', contestedRounds: 1 })
    const reserved = () => indexer.query(`{ round(number: ${round}) { reservedWeight scoreMilliSum meanScoreMilli } }`)
    expect(await reserved()).toEqual({ round: { reservedWeight: 5000, scoreMilliSum: 0, meanScoreMilli: null } })
    const seats = cast.evaluators
    const reveals = []
    for (const seat of seats.slice(0, 2)) reveals.push(await commitVerdict(chain, seat, peer, round, 700))
    await chain.enter(round + 5)
    for (const reveal of reveals) await reveal()
    await chain.enter(round + 6)
    await closeAppeal(chain, peer, round)
    await indexer.reachTip(chain)
    const {
      appealCase,
      settlement,
      peer: row,
    } = await indexer.query<Record<string, unknown>>(`{
      appealCase(round: ${round}, peerKey: "${peer.peerKey}") {
        settledMilli isClosed isMoot finalMilli
        appeals { items { level drawn openedMilli verdicts(orderBy: "seatKey") { items { seatKey isRevealed scoreMilli fault } } } }
      }
      settlement(round: ${round}, peerKey: "${peer.peerKey}") { outcome scoreMilli }
      peer(peerKey: "${peer.peerKey}") { pointsMilli }
    }`)
    const verdicts = seats.slice(0, 2).map(({ peerKey }) => ({
      ...{ seatKey: peerKey, isRevealed: true, scoreMilli: 700, fault: null },
    }))
    verdicts.sort((a, b) => (a.seatKey < b.seatKey ? -1 : 1))
    expect(appealCase).toEqual({
      settledMilli: 0,
      isClosed: true,
      isMoot: false,
      finalMilli: 700,
      appeals: { items: [{ level: 1, drawn: 3, openedMilli: [700, 700], verdicts: { items: verdicts } }] },
    })
    expect(settlement).toEqual({ outcome: 'scored', scoreMilli: 700 })
    expect(row).toEqual({ pointsMilli: '700' })
    expect(await stateOf(scene, round, peer)).toEqual({ outcome: 'scored', scoreMilli: 700, state: 'final' })
    expect(await reserved()).toEqual({ round: { reservedWeight: 0, scoreMilliSum: 700, meanScoreMilli: 700 } })
    expect(await standingOf(scene, peer)).toEqual({
      pointsMilli: '700',
      finalPointsMilli: '700',
      provisionalPointsMilli: '0',
      contestedPointsMilli: '0',
      contestedRounds: 0,
    })
  })

  test('a score that a jury does not find is taken from the points, and its peer falls on the leaderboard', async () => {
    const { chain, indexer, cast } = scene
    const round = await chain.currentRound()
    const [peer] = cast.solvers
    const before = await placeOf(scene, peer)
    expect(before.rank).toBe(2)
    await chain.commit(peer, round, 8)
    await chain.enter(round + 1)
    // One seat of the committee found nothing: without it the score would stand.
    const ballots = cast.evaluators.map((evaluator, at) => {
      return { evaluator, scores: [{ peer, scoreMilli: [900, 800, UNAVAILABLE][at] ?? 0 }] }
    })
    for (const ballot of ballots) await chain.commitVotes(round, ballot)
    await chain.enter(round + 2)
    for (const ballot of ballots) await chain.revealVotes(round, ballot)
    await chain.enter(round + 3)
    await chain.settle(round, [peer])
    expect(await stateOf(scene, round, peer)).toEqual({ outcome: 'scored', scoreMilli: 800, state: 'settled' })
    const settled = await placeOf(scene, peer)
    expect(settled.points - before.points).toBe(800)
    expect(settled.rank).toBe(1)
    await appeal(chain, peer, round)
    await chain.enter(round + 4)
    const reveals = []
    for (const seat of cast.evaluators) reveals.push(await commitVerdict(chain, seat, peer, round, UNAVAILABLE))
    await chain.enter(round + 5)
    for (const reveal of reveals) await reveal()
    // Points that an open case may take away count until then, and are listed apart.
    expect(await stateOf(scene, round, peer)).toEqual({ outcome: 'scored', scoreMilli: 800, state: 'contested' })
    expect(await standingOf(scene, peer)).toMatchObject({ contestedPointsMilli: '800', contestedRounds: 1 })
    await chain.enter(round + 6)
    await closeAppeal(chain, peer, round)
    expect(await stateOf(scene, round, peer)).toEqual({ outcome: 'unavailable', scoreMilli: 0, state: 'final' })
    expect(await placeOf(scene, peer)).toEqual(before)
    expect(BigInt(before.points)).toBe(await chain.points(peer))
    const key = `round: ${round}, peerKey: "${peer.peerKey}"`
    const rows = await indexer.query(`{
      round(number: ${round}) { scored unavailable scoreMilliSum meanScoreMilli reservedWeight }
      appealCase(${key}) { settledMilli finalMilli isClosed isMoot
        appeals { items { openedMilli verdicts { items { scoreMilli fault } } } } }
      earnings(where: { ${key} }) { items { amountWei } }
    }`)
    const verdict = { scoreMilli: null, fault: null }
    expect(rows).toEqual({
      round: { scored: 0, unavailable: 1, scoreMilliSum: 0, meanScoreMilli: null, reservedWeight: 0 },
      appealCase: {
        ...{ settledMilli: 800, finalMilli: 0, isClosed: true, isMoot: false },
        appeals: {
          items: [{ openedMilli: Array(3).fill(UNAVAILABLE), verdicts: { items: [verdict, verdict, verdict] } }],
        },
      },
      earnings: { items: [] },
    })
  })

  test('the feed tells the end of an appeal whose round was lost meanwhile, which changes no score', async () => {
    const { chain, indexer, cast } = scene
    const round = await chain.currentRound()
    const peer = cast.proposer
    const leaves = await commitLeaves(chain, peer, round)
    await chain.enter(round + 1)
    const withheld = await demandLeaf(chain, leaves, 0)
    await chain.enter(round + 3)
    await chain.settle(round, [peer])
    await appeal(chain, peer, round)
    await closeDemand(chain, leaves, withheld)
    await chain.enter(round + 4)
    const reveals = []
    for (const seat of cast.evaluators) reveals.push(await commitVerdict(chain, seat, peer, round, 700))
    await chain.enter(round + 5)
    for (const reveal of reveals) await reveal()
    await chain.enter(round + 6)
    await closeAppeal(chain, peer, round)
    expect(await stateOf(scene, round, peer)).toEqual({ outcome: 'withheld', scoreMilli: 0, state: 'final' })
    const key = `round: ${round}, peerKey: "${peer.peerKey}"`
    const rows = await indexer.query(`{
      appealCase(${key}) { settledMilli finalMilli isClosed isMoot }
      feedItems(where: { ${key}, kind_in: [appealOpened, appealClosed, appealMoot] }, orderBy: "id") { items { kind } }
    }`)
    expect(rows).toEqual({
      appealCase: { settledMilli: 0, finalMilli: 700, isClosed: true, isMoot: true },
      feedItems: { items: [{ kind: 'appealOpened' }, { kind: 'appealMoot' }] },
    })
  })
}

/** A peer's rank and all its points, in thousandths. */
async function placeOf({ chain, indexer }: Scene, { peerKey }: TestPeer) {
  await indexer.reachTip(chain)
  const { standings } = await indexer.query<{ standings: { items: { rank: number; pointsMilli: string }[] } }>(
    `{ standings(where: { peerKey: "${peerKey}" }) { items { rank pointsMilli } } }`,
  )
  const [{ rank, pointsMilli } = { rank: 0, pointsMilli: '0' }] = standings.items
  return { rank, points: Number(pointsMilli) }
}

/** Outcome of a peer's round, and how final it is. */
async function stateOf({ chain, indexer }: Scene, round: number, { peerKey }: TestPeer) {
  await indexer.reachTip(chain)
  const where = `{ round: ${round}, peerKey: "${peerKey}" }`
  const { scoreStates } = await indexer.query<{ scoreStates: { items: unknown[] } }>(
    `{ scoreStates(where: ${where}) { items { outcome scoreMilli state } } }`,
  )
  return scoreStates.items[0]
}

/** A peer's points, by how sure they are. */
async function standingOf({ indexer }: Scene, { peerKey }: TestPeer) {
  const { standings } = await indexer.query<{
    standings: { items: unknown[] }
  }>(`{ standings(where: { peerKey: "${peerKey}" }) {
    items { pointsMilli finalPointsMilli provisionalPointsMilli contestedPointsMilli contestedRounds }
  } }`)
  return standings.items[0]
}
