import { generateKeyPair, privateKeyToProtobuf } from '@libp2p/crypto/keys'
import { UNAVAILABLE } from '@waggle/deployments/protocol'
import { expect, test } from 'vitest'
import { type Hex, toHex, ZERO_HASH } from '#core/hex.ts'
import { encodeProposal } from '#core/payloads/taskProposal.ts'
import { drawCommittee } from '#roles/draws/drawCommittee.ts'
import { explainWork } from '#roles/evidence/readWork.ts'
import { type ChainScene, word } from './chainScene.ts'

/** A round up to its points. */
export function testSettlement(scene: ChainScene): void {
  test('a peer with the swarm.pem of RL Swarm earns points: registration, commitment, votes, reveal, settlement', async () => {
    const { local, deployment, seated, newPeer, enter, openBeacon, stop } = scene
    const solver = await newPeer(undefined, privateKeyToProtobuf(await generateKeyPair('RSA', 2048)))
    expect(solver.identity.peerId).toMatch(/^Qm/)
    const evaluators = [await newPeer(), await newPeer(), await newPeer()]
    seated.push(...evaluators)
    const adminKey = toHex(local.admin.getHdKey().privateKey as Uint8Array)
    const admin = await newPeer(adminKey)

    for (const { chain, identity } of [solver, ...evaluators]) {
      expect(await chain.registerPeer()).toMatchObject({ status: 'mined' })
      expect(await chain.registerPeer()).toEqual({ status: 'already registered' })
      expect(await chain.readPeerId(identity.peerKey)).toBe(identity.peerId)
      expect(await chain.readAccountOf(identity.peerKey)).toBe(identity.address)
    }
    expect(await solver.chain.readPeerId(word(9))).toBeNull()
    const asked = [solver.identity.peerKey, word(9), solver.identity.peerKey]
    expect(await solver.chain.readRegistered(asked)).toEqual([true, false, true])
    expect(await solver.chain.readPeerIds(asked)).toEqual([solver.identity.peerId, null, solver.identity.peerId])

    for (const { identity } of evaluators) {
      expect(await admin.chain.admitEvaluator(identity.peerKey)).toMatchObject({ status: 'mined' })
      expect(await admin.chain.admitEvaluator(identity.peerKey)).toEqual({ status: 'already seated' })
    }

    const round = (await solver.chain.rounds.read()).round + 2
    expect(await solver.chain.commitSecret(round)).toMatchObject({ status: 'mined' })
    await enter(round - 1)
    const bytes = encodeProposal({ level: 1, texts: ['a problem', 'another'] })
    expect(await solver.chain.propose({ round, count: 2, bytes, isLast: false })).toMatchObject({ status: 'mined' })
    expect(await solver.chain.readHasSecret(solver.identity.peerKey, round + 1)).toBe(true)

    await enter(round)
    await openBeacon(solver.chain, round - 1)
    expect((await solver.chain.rounds.waitFor(round, stop.signal)).round).toBe(round)
    expect(await solver.chain.readSeats(round)).toEqual(evaluators.map(({ identity }) => identity.peerKey))
    const { peerKey } = solver.identity
    const secret = solver.chain.proposalSecret(round)
    expect(await solver.chain.readProposals(round)).toEqual([{ peerKey, secret, count: 2, bytes }])
    const rollouts = { round, root: word(3), count: 64, policyHash: word(4), contentId: word(5) }
    expect(await solver.chain.commitRollouts(rollouts)).toMatchObject({ status: 'mined' })
    const [named, next] = [{ ...rollouts, root: word(6), nextPolicy: word(9) }, round + 1]
    expect(await solver.chain.commitRollouts(named)).toMatchObject({ status: 'mined' })
    expect(await solver.chain.readPolicies(next, [peerKey])).toEqual(new Map([[peerKey, word(9)]]))
    expect(await solver.chain.commitPolicy(next, word(10))).toMatchObject({ status: 'mined' })
    expect(await solver.chain.readPolicies(next, [peerKey])).toEqual(new Map([[peerKey, word(10)]]))
    // It holds for later rounds too, while nothing newer is named.
    expect(await solver.chain.readPolicies(next + 7, [peerKey])).toEqual(new Map([[peerKey, word(10)]]))
    expect(await solver.chain.readPolicies(next + 8, [peerKey])).toEqual(new Map())
    expect(await solver.chain.readPolicies(next, [evaluators[0]?.identity.peerKey as Hex])).toEqual(new Map())
    expect(await solver.chain.readRolloutCommitments(round)).toMatchObject([
      { root: word(6), count: 64, policyHash: word(4), ordinal: 0 },
    ])

    const ballot = (position: number, scoreMilli: number) => ({
      round: BigInt(round),
      shard: 0,
      position,
      scoresMilli: [scoreMilli],
      componentRoots: [scoreMilli === UNAVAILABLE ? ZERO_HASH : word(7)],
      contentId: word(8),
    })
    await enter(round + 1)
    expect(await solver.chain.readBeacon(round)).toEqual({ state: 'none', hash: null })
    expect(await solver.chain.fixBeacon(round)).toMatchObject({ status: 'mined' })
    expect(await solver.chain.readBeacon(round)).toMatchObject({ state: 'fixed', hash: null })
    await local.client.mine({ blocks: 2 })
    const foreseen = await solver.chain.readBeacon(round)
    expect(foreseen).toMatchObject({ state: 'fixed', hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
    const seats = await solver.chain.readSeats(round)
    const committee = drawCommittee(deployment.chainId, round, foreseen.hash ?? ZERO_HASH, 0, seats)
    const scores = [400, 700, 500]
    const ballots = evaluators.map(({ identity }, i) => ballot(committee.indexOf(identity.peerKey), scores[i] ?? 0))
    for (const [i, { chain }] of evaluators.entries())
      expect(await chain.commitVotes(ballots[i] as (typeof ballots)[number])).toMatchObject({ status: 'mined' })
    // Revealed early, kept until their time.
    const reveals = evaluators.map(({ chain }, i) => chain.revealVotes(ballots[i] as (typeof ballots)[number]))
    // The first vote recorded it.
    expect(await solver.chain.readBeacon(round)).toEqual({ ...foreseen, state: 'drawn' })
    await enter(round + 2)
    expect(await Promise.all(reveals)).toMatchObject([{ status: 'mined' }, { status: 'mined' }, { status: 'mined' }])
    const revealed = await solver.chain.readRevealedVotes(round)
    expect(revealed.map(({ scoresMilli }) => scoresMilli[0]).sort()).toEqual([400, 500, 700])

    await enter(round + 3)
    const shard = { round, shard: 0, peerKeys: [solver.identity.peerKey] }
    expect(await solver.chain.settle(shard)).toMatchObject({ status: 'mined' })
    expect(await admin.chain.settle(shard)).toMatchObject({ status: 'mined' })
    expect(await solver.chain.readSettlements(round)).toMatchObject([
      { peerKey: solver.identity.peerKey, scoreMilli: 500, votes: 3, outcome: 'scored' },
    ])
    expect(await solver.chain.readPoints(solver.identity.peerKey)).toBe(500)

    const question = { deployment, rpcUrl: local.rpcUrl, data: '', round }
    const why = await explainWork({ ...question, peer: solver.identity.name })
    const told = why.answers.join('\n')
    for (const line of [
      'committed 64 answers',
      'had named no policy',
      'voted 0.700',
      'scored: 0.500',
      '0.500 points, final from',
    ])
      expect(told).toContain(line)
    expect(why.tasks).toEqual(['It proposed 2 tasks.'])
    const seat = await explainWork({ ...question, peer: evaluators[0]?.identity.peerKey as Hex })
    expect(seat.answers, 'a seat has none').toEqual([])
    const newest = await explainWork({ ...question, round: undefined, peer: solver.identity.name })
    expect(newest.work.round).toBe(Math.max(0, newest.work.currentRound - 4))
    expect(seat.votes).toEqual(['It was drawn to score shard 0.', 'It sealed and opened its votes.'])
  })
}
