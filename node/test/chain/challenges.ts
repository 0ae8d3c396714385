import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readAppealBond, readCredit } from '#chain/appeals.ts'
import { challengeIntent } from '#chain/challengeIntent.ts'
import { decodeTaskBundle, encodeTaskBundle, leavesOf, rootOf } from '#core/bodies.ts'
import { contentId } from '#core/contentId.ts'
import { ZERO_HASH } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { environmentBytes } from '#environments/codezero/environmentSpec.ts'
import { auditPoints } from '#roles/audit/auditPoints.ts'
import { findFalseLeaf } from '#roles/evaluator/findFalseLeaf.ts'
import { sampledLeaves } from '#roles/evaluator/sampledLeaves.ts'
import { roundSeed } from '#roles/roundSeed.ts'
import { showFault } from '#roles/showFault.ts'
import { provenLeaf } from '#roles/solver/showDemanded.ts'
import { type ChainScene, spec, word } from './chainScene.ts'

/** What is false, withheld or appealed, and what all of it comes to. */
export function testChallenges(scene: ChainScene): void {
  test('a false leaf is shown to the chain and takes its round, and an honest one is not', async () => {
    const { deployment, newPeer, enter, openBeacon, bundleOf } = scene
    const { identity, chain } = await newPeer()
    await chain.registerPeer()
    const { peerKey } = identity
    const first = (await chain.rounds.read()).round + 1
    await enter(first)
    for (const ground of [false, true]) {
      const { round } = await chain.rounds.read()
      await openBeacon(chain, round - 1)
      const beacon = (await chain.readBeacon(round - 1)).hash ?? ZERO_HASH
      const seed = ground ? word(9) : roundSeed('rollout', deployment.chainId, round, beacon, peerKey)
      const bundle = bundleOf(round, peerKey, seed)
      const { policyHash } = bundle
      const rollouts = { round, root: rootOf(bundle), count: leavesOf(bundle).length, policyHash, contentId: word(5) }
      expect(await chain.commitRollouts(rollouts)).toMatchObject({ status: 'mined' })
      const [commitment] = await chain.readRolloutCommitments(round)
      if (commitment === undefined) throw new Error('no commitment')
      await enter(round + 1)
      const found = findFalseLeaf(bundle, commitment, beacon)
      expect(found?.header.seed ?? null).toBe(ground ? word(9) : null)
      if (found !== null) expect(await chain.challengeLeaf(found)).toMatchObject({ status: 'mined' })
      expect(await chain.isSettled(round, peerKey)).toBe(ground)
    }
  })

  test('a task in two places of a root is shown to the chain by who keeps its bundle', async () => {
    const { deployment, newPeer, enter, bundleOf } = scene
    const { identity, chain } = await newPeer()
    await chain.registerPeer()
    const round = (await chain.rounds.read()).round + 1
    const [sampled] = bundleOf(round, identity.peerKey, word(1)).groups[0]?.rollouts ?? []
    if (sampled === undefined) throw new Error('no sample')
    const { promptTokens, completionTokens, logprobs, seed } = sampled
    const task = { level: 1, promptTokens, completionTokens, logprobs, seed, text: 'a problem' }
    const tasks = [0, 1].map(index => ({ index, ...task }))
    const header = { v: 1 as const, chainId: deployment.chainId, round, peerKey: identity.peerKey, policyHash: word(4) }
    const bytes = encodeTaskBundle({ ...header, level: 1, tasks })
    const [root, id] = [rootOf(decodeTaskBundle(bytes)), contentId(bytes)]
    expect(await chain.commitTasks({ round, root, count: 2, contentId: id })).toMatchObject({ status: 'mined' })
    await enter(round)
    const send = async (intent: OutboxIntent) => {
      const outcome = await chain.send(intent)
      if (outcome.status !== 'mined') throw new Error(outcome.status)
      return outcome
    }
    const data = mkdtempSync(join(tmpdir(), 'waggle-chain-'))
    const desk = { client: chain.client, contracts: chain.contracts, data, send }
    const { peerKey } = identity
    await expect(showFault(desk, { peerKey, round })).rejects.toThrow(/keeps nothing that the peer committed/)
    const folder = join(data, 'bundles', String(round))
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, id.slice(2)), bytes)
    const { shown } = await showFault(desk, { peerKey, round })
    expect(shown).toMatchObject([{ fault: 'repeated task', index: 1 }])
  })

  test('a demanded leaf is shown at the cost of who demanded it, and one that is not shown takes the round', async () => {
    const { deployment, newPeer, enter, openBeacon, bundleOf } = scene
    const { identity, chain } = await newPeer()
    const challenger = await newPeer()
    await chain.registerPeer()
    const { peerKey } = identity
    const { round } = await chain.rounds.read()
    const bundle = bundleOf(round, peerKey, word(1), spec.owedLeaves)
    const rollouts = { round, root: rootOf(bundle), count: leavesOf(bundle).length, policyHash: word(4) }
    expect(await chain.commitRollouts({ ...rollouts, contentId: word(5) })).toMatchObject({ status: 'mined' })
    const commitment = (await chain.readRolloutCommitments(round)).find(one => one.peerKey === peerKey)
    if (commitment === undefined) throw new Error('no commitment')
    await enter(round + 1)
    await openBeacon(chain, round)
    const beacon = (await chain.readBeacon(round)).hash ?? ZERO_HASH
    const sampled = sampledLeaves(deployment.chainId, round, beacon, peerKey, spec)
    const bondWei = await chain.readDemandBond()
    const specification = environmentBytes(spec)
    for (const place of [0, 1])
      expect(await challenger.chain.demandLeaf({ round, commitment, place, specification }, bondWei)).toMatchObject({
        status: 'mined',
      })
    const demands = await chain.readDemands({ first: round + 1, last: round + 1 })
    expect(demands.map(({ index, state, challenger: who }) => ({ index, state, who }))).toEqual(
      sampled.slice(0, 2).map(index => ({ index, state: 'open', who: challenger.chain.account })),
    )
    const [first, second] = demands
    if (first === undefined || second === undefined) throw new Error('no demand')
    const shown = provenLeaf(bundle, commitment, first.index)
    if (shown === null) throw new Error('no leaf')
    expect(await chain.showLeaf(shown, first.throughRound)).toMatchObject({ status: 'mined' })
    expect(await chain.readBalance(chain.account)).toBeGreaterThan(9n * 10n ** 17n)
    await enter(round + 3)
    expect(await challenger.chain.closeDemand(second)).toMatchObject({ status: 'mined' })
    const states = (await chain.readDemands({ first: round + 1, last: round + 1 })).map(({ state }) => state)
    expect(states).toEqual(['shown', 'withheld'])
    expect(await chain.isSettled(round, peerKey)).toBe(true)
  })

  test('an appeal goes to the seats, and their verdict replaces the score', async () => {
    const { local, seated, newPeer, enter, openBeacon, bundleOf, sealedVerdicts } = scene
    const { identity, chain } = await newPeer()
    await chain.registerPeer()
    const { peerKey } = identity
    // Its seeds need the beacon of the round before.
    const round = (await chain.rounds.read()).round + 1
    await enter(round)
    await openBeacon(chain, round - 1)
    const bundle = bundleOf(round, peerKey, word(1))
    const rollouts = { round, root: rootOf(bundle), count: 3, policyHash: word(4), contentId: word(5) }
    expect(await chain.commitRollouts(rollouts)).toMatchObject({ status: 'mined' })
    await enter(round + 1)
    await openBeacon(chain, round)
    await enter(round + 3)
    expect(await chain.settle({ round, shard: 0, peerKeys: [peerKey] })).toMatchObject({ status: 'mined' })
    const valueWei = await readAppealBond(chain.client, chain.contracts, 1)
    const call = [BigInt(round), peerKey] as const
    const appealed = chain.send(challengeIntent(chain.contracts, `${round}`, 'appeal', call, { valueWei }))
    expect(await appealed).toMatchObject({ status: 'mined' })
    await enter(round + 4)
    const [found] = await chain.readAppeals({ first: round + 3, last: round + 3 })
    if (found === undefined) throw new Error('no appeal')
    expect(found).toMatchObject({
      round,
      peerKey,
      level: 1,
      appellant: chain.account,
      settledMilli: 0,
      isClosed: false,
    })
    const bench = await chain.readBench(round, peerKey)
    const { level, openedRound } = found
    const verdicts = seated.map(seat => {
      const position = bench.indexOf(seat.identity.peerKey)
      return seat.chain.giveVerdict({ round, peerKey, level, openedRound, position, scoreMilli: 700 })
    })
    await local.client.mine({ blocks: 1 })
    await expect.poll(() => sealedVerdicts(round)).toBe(seated.length)
    await enter(round + 5)
    for (const { sealed, opened } of verdicts) {
      expect(await sealed).toMatchObject({ status: 'mined' })
      expect(await opened).toMatchObject({ status: 'mined' })
    }
    await enter(found.closesFrom)
    expect(await chain.closeAppeal(found)).toMatchObject({ status: 'mined' })
    const seats = await chain.readSeatsToJudge(found)
    expect(seats).toEqual([{ round, peerKey, level: 1, positions: [0, 1, 2] }])
    for (const part of seats) expect(await chain.judgeSeats(part)).toMatchObject({ status: 'mined' })
    expect(await chain.readCase(round, peerKey)).toMatchObject({ isClosed: true, finalMilli: 700 })
    expect(await readCredit(chain.client, chain.contracts, chain.account)).toBe(valueWei)
  })

  test('every point is derived again from votes and verdicts, after a false leaf, a withheld one and an appeal', async () => {
    const { local, deployment } = scene
    const { findings, settlements, peers } = await auditPoints({
      ...{ deployment, rpcUrl: local.rpcUrl, indexUrl: undefined },
    })
    expect(findings).toEqual([])
    expect(settlements).toBe(2)
    expect(peers.map(({ pointsMilli }) => pointsMilli)).toEqual([700, 500, 0, 0])
  })
}
