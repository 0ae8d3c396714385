import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKeyPair, privateKeyToProtobuf } from '@libp2p/crypto/keys'
import type { Deployment } from '@waggle/deployments/record'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readAppealBond, readCredit } from '#chain/appeals.ts'
import { ChainUnreachableError, ContractMissingError, NoFundsError, WrongChainError } from '#chain/chainErrors.ts'
import { challengeIntent } from '#chain/challengeIntent.ts'
import { type Chain, openChain } from '#chain/openChain.ts'
import { leavesOf, type RolloutBundle, rolloutHeaders, rootOf, UNAVAILABLE } from '#core/bodies.ts'
import { systemClock } from '#core/clock.ts'
import { type Hex, toHex, ZERO_HASH } from '#core/hex.ts'
import { leafHash } from '#core/leaf.ts'
import { silentLogger } from '#core/logger.ts'
import { merkleProof } from '#core/merkle.ts'
import { environmentBytes, environmentHash } from '#environments/codezero/environmentSpec.ts'
import { environmentFrom } from '#environments/codezero/presets.ts'
import { drawCommittee } from '#roles/drawCommittee.ts'
import { findFalseLeaf } from '#roles/evaluator/findFalseLeaf.ts'
import { findRepeatedTask } from '#roles/evaluator/findRepeatedTask.ts'
import { sampledLeaves } from '#roles/evaluator/sampledLeaves.ts'
import { roundSeed } from '#roles/roundSeed.ts'
import { provenLeaf } from '#roles/solver/showDemanded.ts'
import { type Identity, openIdentity } from '#store/identity.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { createOutboxTable } from '#store/outboxTable.ts'
import { deployContracts, freePort, type LocalChain, startLocalChain } from './localChain.ts'

const ROUND_SECONDS = 60
const spec = environmentFrom('starter')
const word = (byte: number): Hex => `0x${byte.toString(16).padStart(2, '0').repeat(32)}`
const stop = new AbortController()
let local: LocalChain
let deployment: Deployment

type Peer = { identity: Identity; chain: Chain }
/** Who sits, from the first test on. */
let seated: Peer[] = []

async function newPeer(accountKey?: Hex, swarmPem?: Uint8Array): Promise<Peer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'waggle-chain-'))
  if (swarmPem !== undefined) writeFileSync(join(dataDir, 'swarm.pem'), swarmPem)
  const identity = await openIdentity(dataDir)
  if (accountKey === undefined) await local.fund(identity.address)
  return { identity, chain: await open(identity, accountKey ?? identity.accountKey) }
}

function open(identity: Identity, accountKey: Hex): Promise<Chain> {
  return openChain({
    rpcUrl: local.rpcUrl,
    deployment,
    accountKey,
    peerKey: identity.peerKey,
    signer: identity.signer,
    outbox: createOutboxTable(openDatabase(':memory:')),
    clock: systemClock,
    logger: silentLogger,
    signal: stop.signal,
    pollMs: 10,
    outboxOptions: { pollMs: 10, idlePollMs: 20, confirmations: 2 },
  })
}

/** Goes to the start of a round in chain time. */
async function enter(round: number): Promise<void> {
  const startsAtSec = await local.client.readContract({
    address: deployment.contracts.Rounds.address,
    abi: [
      {
        type: 'function',
        name: 'startOf',
        inputs: [{ type: 'uint64' }],
        outputs: [{ type: 'uint256' }],
        stateMutability: 'view',
      },
    ],
    functionName: 'startOf',
    args: [BigInt(round)],
  })
  await local.travelTo(Number(startsAtSec))
}

/** Fixes the beacon of the round before the current one, lets its block pass, and records it. */
async function openBeacon(chain: Chain, round: number): Promise<void> {
  expect(await chain.fixBeacon(round)).toMatchObject({ status: 'mined' })
  await local.client.mine({ blocks: 2 })
  expect(await chain.drawBeacon(round)).toMatchObject({ status: 'mined' })
}

beforeAll(async () => {
  local = await startLocalChain()
  deployment = await deployContracts(local, ROUND_SECONDS, environmentHash(spec))
})

afterAll(async () => {
  stop.abort()
  await local.stop()
})

test('a peer with the swarm.pem of RL Swarm earns points: registration, commitment, votes, reveal, settlement', async () => {
  const solver = await newPeer(undefined, privateKeyToProtobuf(await generateKeyPair('RSA', 2048)))
  expect(solver.identity.peerId).toMatch(/^Qm/)
  const evaluators = [await newPeer(), await newPeer(), await newPeer()]
  seated = evaluators
  const adminKey = toHex(local.admin.getHdKey().privateKey as Uint8Array)
  const admin = await newPeer(adminKey)

  for (const { chain, identity } of [solver, ...evaluators]) {
    expect(await chain.registerPeer()).toMatchObject({ status: 'mined' })
    expect(await chain.registerPeer()).toEqual({ status: 'already registered' })
    expect(await chain.readPeerId(identity.peerKey)).toBe(identity.peerId)
    expect(await chain.readAccountOf(identity.peerKey)).toBe(identity.address)
  }
  expect(await solver.chain.readPeerId(word(9))).toBeNull()

  for (const { identity } of evaluators) {
    expect(await admin.chain.admitEvaluator(identity.peerKey)).toMatchObject({ status: 'mined' })
    expect(await admin.chain.admitEvaluator(identity.peerKey)).toEqual({ status: 'already seated' })
  }

  const round = (await solver.chain.rounds.read()).round + 2
  const tasks = { round, root: word(1), count: 8, contentId: word(2) }
  expect(await solver.chain.commitTasks(tasks)).toMatchObject({ status: 'mined' })

  await enter(round)
  await openBeacon(solver.chain, round - 1)
  expect((await solver.chain.rounds.waitFor(round, stop.signal)).round).toBe(round)
  expect(await solver.chain.readSeats(round)).toEqual(evaluators.map(({ identity }) => identity.peerKey))
  expect(await solver.chain.readTaskCommitments(round)).toMatchObject([
    { peerKey: solver.identity.peerKey, root: word(1), count: 8, contentId: word(2) },
  ])
  const rollouts = { round, root: word(3), count: 64, policyHash: word(4), contentId: word(5) }
  expect(await solver.chain.commitRollouts(rollouts)).toMatchObject({ status: 'mined' })
  expect(await solver.chain.commitRollouts({ ...rollouts, root: word(6) })).toMatchObject({ status: 'mined' })
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
  expect(await solver.chain.readBeacon(round)).toEqual({ state: 'fixed', hash: null })
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
  expect(await admin.chain.settle(shard)).toBeNull()
  expect(await solver.chain.readSettlements(round)).toMatchObject([
    { peerKey: solver.identity.peerKey, scoreMilli: 500, votes: 3, outcome: 'scored' },
  ])
  expect(await solver.chain.readPoints(solver.identity.peerKey)).toBe(500)
})

/** Three answers to one task, all sampled with the same seed. */
function bundleOf(round: number, peerKey: Hex, seed: Hex, count = 3): RolloutBundle {
  const tokens = (...ids: number[]) => new Uint8Array(Uint16Array.from(ids).buffer)
  const rollout = (index: number) => ({
    index,
    promptTokens: tokens(1, 2),
    completionTokens: tokens(3 + index),
    logprobs: new Uint8Array(Float32Array.of(-1).buffer),
    sampling: { temperature: 1, maxNewTokens: 96 },
    seed,
    ended: true,
  })
  const taskRef = { peerKey: word(2), contentId: word(3), index: 0 }
  return {
    v: 1,
    chainId: deployment.chainId,
    round,
    peerKey,
    policyHash: word(4),
    groups: [{ taskHash: word(5), taskRef, rollouts: Array.from({ length: count }, (_, index) => rollout(index)) }],
  }
}

test('a false leaf is shown to the chain and takes its round, and an honest one is not', async () => {
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

test('a task in two places of a root is shown to the chain', async () => {
  const { identity, chain } = await newPeer()
  await chain.registerPeer()
  const round = (await chain.rounds.read()).round + 1
  const [sampled] = bundleOf(round, identity.peerKey, word(1)).groups[0]?.rollouts ?? []
  if (sampled === undefined) throw new Error('no sample')
  const { promptTokens, completionTokens, logprobs, seed } = sampled
  const task = { level: 1, promptTokens, completionTokens, logprobs, seed, text: 'a problem' }
  const tasks = [0, 1].map(index => ({ index, ...task }))
  const header = { v: 1 as const, chainId: deployment.chainId, round, peerKey: identity.peerKey, policyHash: word(4) }
  const bundle = { ...header, level: 1, tasks }
  const contentId = word(5)
  expect(await chain.commitTasks({ round, root: rootOf(bundle), count: 2, contentId })).toMatchObject({
    status: 'mined',
  })
  const found = findRepeatedTask({ bundle, contentId })
  await enter(round)
  expect(found && (await chain.challengeTasks(found))).toMatchObject({ status: 'mined' })
})

test('a demanded leaf is shown at the cost of who demanded it, and one that is not shown takes the round', async () => {
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
  expect(found).toMatchObject({ round, peerKey, level: 1, appellant: chain.account, settledMilli: 0, isClosed: false })
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

async function sealedVerdicts(round: number): Promise<number> {
  const { challenges } = seated[0]?.chain.contracts ?? {}
  if (challenges === undefined) return 0
  const events = {
    ...challenges,
    eventName: 'VerdictCommitted',
    args: { round: BigInt(round) },
    fromBlock: 0n,
  } as const
  return (await local.client.getContractEvents(events)).length
}

test('the leaf and the proof that are computed here are those of the contract', async () => {
  const { identity } = await newPeer()
  const bundle = bundleOf(5, identity.peerKey, word(1))
  const { rolloutCommitments } = (await newPeer()).chain.contracts
  const [, header] = rolloutHeaders(bundle)
  if (header === undefined) throw new Error('no leaf')
  const { index, taskHash, policyHash, seed, bodyHash } = header
  const args = [5n, identity.peerKey, { index, taskHash, policyHash, seed, bodyHash }] as const
  const onChain = await local.client.readContract({ ...rolloutCommitments, functionName: 'leafOf', args })
  expect(onChain).toBe(leafHash(header))
  const proof = merkleProof(leavesOf(bundle), 1)
  const verify = [rootOf(bundle), onChain, proof] as const
  expect(await local.client.readContract({ ...rolloutCommitments, functionName: 'verifyLeaf', args: verify })).toBe(
    true,
  )
})

test('a revert is a value that names the contract’s error', async () => {
  const { chain } = await newPeer()
  const { round } = await chain.rounds.read()
  const outcome = await chain.commitRollouts({
    round,
    root: word(1),
    count: 1,
    policyHash: word(2),
    contentId: word(3),
  })
  expect(outcome).toMatchObject({ status: 'reverted', hash: null })
  expect((outcome as { error: string }).error).toMatch(/^RolloutCommitments_NotPeerAccount\(0x/)
})

test('what was meant for a round that passed is dropped', async () => {
  const { chain } = await newPeer()
  const { round } = await chain.rounds.read()
  const late = chain.commitRollouts({
    round: round - 1,
    root: word(1),
    count: 1,
    policyHash: word(2),
    contentId: word(3),
  })
  expect(await late).toEqual({ status: 'dropped', reason: 'round passed' })
})

test('two nodes on one account do not disturb each other', async () => {
  const first = await newPeer()
  const identity = await openIdentity(mkdtempSync(join(tmpdir(), 'waggle-chain-')))
  const second = { identity, chain: await open(identity, first.identity.accountKey) }
  expect(await first.chain.registerPeer()).toMatchObject({ status: 'mined' })
  expect(await second.chain.registerPeer()).toMatchObject({ status: 'mined' })
  const { round } = await first.chain.rounds.read()
  const rollouts = { round, count: 1, policyHash: word(2), contentId: word(3) }
  // Whose nonce was taken waits for that to be deep: blocks must come by themselves.
  await local.client.setIntervalMining({ interval: 1 })
  const outcomes = await Promise.all(
    [first, second].flatMap(({ chain }) => [1, 2].map(i => chain.commitRollouts({ ...rollouts, root: word(i) }))),
  )
  await local.client.setIntervalMining({ interval: 0 })
  await local.client.setAutomine(true)
  expect(outcomes.map(({ status }) => status)).toEqual(Array(4).fill('mined'))
})

test('an identity whose key the registry cannot check is told that it cannot register', async () => {
  const { identity } = await newPeer()
  const chain = await open({ ...identity, signer: null }, identity.accountKey)
  expect(await chain.registerPeer()).toEqual({ status: 'unsupported key' })
})

test('each fault at the start is one clear error', async () => {
  const identity = await openIdentity(mkdtempSync(join(tmpdir(), 'waggle-chain-')))
  const attempt = (changes: { deployment?: Deployment; rpcUrl?: string }) =>
    openChain({
      rpcUrl: local.rpcUrl,
      deployment,
      accountKey: identity.accountKey,
      peerKey: identity.peerKey,
      signer: identity.signer,
      outbox: createOutboxTable(openDatabase(':memory:')),
      clock: systemClock,
      logger: silentLogger,
      signal: stop.signal,
      ...changes,
    })
  await expect(attempt({})).rejects.toThrow(NoFundsError)
  await expect(attempt({ deployment: { ...deployment, chainId: 11155111 } })).rejects.toThrow(WrongChainError)
  const moved = { ...deployment.contracts, Rounds: { address: `0x${'12'.repeat(20)}` as Hex, startBlock: 0 } }
  await expect(attempt({ deployment: { ...deployment, contracts: moved } })).rejects.toThrow(ContractMissingError)
  const closed = `http://127.0.0.1:${await freePort()}/secret-api-key`
  const unreachable = await attempt({ rpcUrl: closed }).catch(error => error)
  expect(unreachable).toBeInstanceOf(ChainUnreachableError)
  expect(unreachable.message).not.toContain('secret-api-key')
})
