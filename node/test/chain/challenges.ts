import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { roundsAbi } from '@waggle/deployments/abi'
import { knownNetworks } from '@waggle/deployments/networks'
import { encodeAbiParameters, formatEther, getAbiItem, keccak256, numberToHex, toEventSelector } from 'viem'
import { expect, test } from 'vitest'
import { readAppealBond, readCredit } from '#chain/challenges/appeals.ts'
import { connectChain } from '#chain/connectChain.ts'
import { contractsOf } from '#chain/contracts.ts'
import type { Chain } from '#chain/openChain.ts'
import { readPointsOf } from '#chain/peers/readPoints.ts'
import { appealScore } from '#cli/challenges/appealScore.ts'
import { type Bond, listBonds } from '#cli/challenges/challengeBonds.ts'
import { close } from '#cli/challenges/playChallenges.ts'
import { showFault } from '#cli/challenges/showFault.ts'
import { contentId } from '#core/contentId.ts'
import { type Hex, ZERO_HASH } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { encodeRolloutBundle, rolloutLeaves, rootOf, treeOf } from '#core/payloads/payloads.ts'
import { originsOf } from '#core/redactUrls.ts'
import { environmentBytes } from '#environments/environmentSpec.ts'
import { auditPoints } from '#roles/audit/auditPoints.ts'
import { sampledLeaves } from '#roles/draws/drawCommittee.ts'
import { roundSeed } from '#roles/draws/roundSeed.ts'
import { provenLeaf } from '#roles/duties/showDemanded.ts'
import { explainWork } from '#roles/evidence/readWork.ts'
import { type IndexState, startFakeIndex } from '../fakeIndex.ts'
import { type Answer, type Call, changed, startHostileEndpoint } from '../hostileEndpoint.ts'
import { type ChainScene, spec, word } from './chainScene.ts'

/** A session over a new, empty folder. */
function sessionOf({ client, contracts, account, send }: Chain) {
  return {
    ...{ client, contracts, account, data: mkdtempSync(join(tmpdir(), 'waggle-chain-')) },
    async send(intent: OutboxIntent) {
      const outcome = await send(intent)
      if (outcome.status === 'mined') return outcome
      throw new Error(outcome.status === 'reverted' ? outcome.error : outcome.status)
    },
  }
}

/** As a peer keeps what it fetched in a round. */
function keep(data: string, round: number, bytes: Uint8Array): void {
  const folder = join(data, 'bundles', String(round))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, contentId(bytes).slice(2)), bytes)
}

/** A read of state at a block that is named. */
const isOfBlock = ({ method, params }: Call) => method === 'eth_call' && params[1] !== 'latest'

const withoutBeacons = changed(answers =>
  answers.map(answer => {
    const { result } = answer
    const isBeacon = ({ topics }: { topics: Hex[] }) => topics[0] === BEACON_DRAWN
    return Array.isArray(result) ? { ...answer, result: result.filter(log => !isBeacon(log)) } : answer
  }),
)
const BEACON_DRAWN = toEventSelector(getAbiItem({ abi: roundsAbi, name: 'BeaconDrawn' }))

/** The answer of an endpoint that stopped twenty blocks and two minutes ago, or that hides these blocks and says that it did not. */
const older =
  (hiddenSec: bigint) =>
  (answer: Answer): Answer => {
    const { number, timestamp, ...block } = answer.result as Record<'number' | 'timestamp', Hex>
    const earlier = {
      number: numberToHex(BigInt(number) - 20n),
      timestamp: numberToHex(BigInt(timestamp) - hiddenSec),
    }
    return { ...answer, result: { ...block, ...earlier } }
  }

/** The answer with a block that is a while older. */
function aged(answer: Answer, seconds: bigint): Answer {
  const { timestamp, ...block } = answer.result as { timestamp: Hex }
  return { ...answer, result: { ...block, timestamp: numberToHex(BigInt(timestamp) - seconds) } }
}

const otherHash = ({ result }: Answer) => ({ ...(result as object), hash: word(9) })

/** False, withheld and appealed work, and its outcomes. */
export function testChallenges(scene: ChainScene): void {
  const asked = () => ({ deployment: scene.deployment, rpcUrl: scene.local.rpcUrl })

  test('a false leaf is shown to the chain and takes its round, and an honest one is not', async () => {
    const { deployment, newPeer, registeredPeer, enter, openBeacon, bundleOf } = scene
    const { identity, chain } = registeredPeer()
    const stranger = await newPeer()
    const { peerKey } = identity
    const first = (await chain.rounds.read()).round + 1
    await enter(first)
    for (const ground of [false, true]) {
      const { round } = await chain.rounds.read()
      await openBeacon(chain, round - 1)
      const beacon = (await chain.readBeacon(round - 1)).hash ?? ZERO_HASH
      const seed = ground ? word(9) : roundSeed('rollout', deployment.chainId, round, beacon, peerKey)
      const bundle = bundleOf(round, peerKey, seed)
      const bytes = encodeRolloutBundle(bundle)
      const { policyHash } = bundle
      const rollouts = { round, root: rootOf(bundle), count: rolloutLeaves(bundle).length, policyHash }
      const id = contentId(bytes)
      expect(await chain.commitRollouts({ ...rollouts, contentId: id })).toMatchObject({ status: 'mined' })
      await enter(round + 1)
      const session = sessionOf(stranger.chain)
      const show = () => showFault(session, { peerKey, round })
      await expect(show()).rejects.toThrow(/has no payload that the peer committed/)
      keep(session.data, round, bytes)
      if (ground) expect((await show()).shown).toMatchObject([{ fault: 'false leaf', index: 0 }])
      else await expect(show()).rejects.toThrow(/has a false header/)
      expect(await chain.isSettled(round, peerKey)).toBe(ground)
      const lost = { kind: 'lost', peerKey, outcome: 'false leaf' }
      expect(await chain.readRulings(round)).toEqual(ground ? [lost] : [])
    }
  })

  test('a secret that its proposer withheld is shown to the chain, once', async () => {
    const { registeredPeer, enter, openBeacon, withBlocks } = scene
    const { identity, chain } = registeredPeer()
    const { peerKey } = identity
    const round = (await chain.rounds.read()).round + 2
    expect(await chain.commitSecret(round)).toMatchObject({ status: 'mined' })
    await enter(round - 1)
    await openBeacon(chain, round - 2)
    await enter(round)
    expect(await chain.readSecretKeepers(round)).toEqual([peerKey])
    expect(await chain.challengeSecret({ round, peerKey })).toMatchObject({ status: 'mined' })
    const refused = { status: 'reverted', error: expect.stringContaining('Openings_NothingWithheld') }
    expect(await withBlocks(() => chain.challengeSecret({ round: round - 1, peerKey }))).toMatchObject(refused)
  })

  test('a demanded leaf is shown at the cost of who demanded it, and one that is not shown takes the round', async () => {
    const { local, deployment, newPeer, registeredPeer, enter, openBeacon, bundleOf } = scene
    const { identity, chain } = registeredPeer()
    const challenger = await newPeer()
    const { peerKey } = identity
    const { round } = await chain.rounds.read()
    const bundle = bundleOf(round, peerKey, word(1), spec.owedLeaves)
    const rollouts = { round, root: rootOf(bundle), count: rolloutLeaves(bundle).length, policyHash: word(4) }
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
    const shown = provenLeaf({ payload: bundle, tree: treeOf(bundle) }, commitment, first.index)
    if (shown === null) throw new Error('no leaf')
    const sent = await chain.showLeaf(shown, first.throughRound)
    if (sent.status !== 'mined') throw new Error(sent.status)
    const { gasUsed, effectiveGasPrice } = await local.client.getTransactionReceipt({ hash: sent.hash })
    const bondPriceWei = bondWei / 3_000_000n
    const priceWei = effectiveGasPrice < bondPriceWei ? effectiveGasPrice : bondPriceWei
    // Its gas is paid, and next to nothing more: a leaf that is worth showing would be worth withholding.
    const paidGas = Number((await readCredit(chain.client, chain.contracts, chain.account)) / priceWei)
    expect(paidGas).toBeGreaterThanOrEqual(Number(gasUsed))
    expect(paidGas).toBeLessThan(1.02 * Number(gasUsed))
    await enter(round + 3)
    // As many as there are at least to answer in.
    await local.client.mine({ blocks: 16 })
    expect(await challenger.chain.closeDemand(second)).toMatchObject({ status: 'mined' })
    const states = (await chain.readDemands({ first: round + 1, last: round + 1 })).map(({ state }) => state)
    expect(states).toEqual(['shown', 'withheld'])
    expect(await chain.isSettled(round, peerKey)).toBe(true)
  })

  test('an appeal goes to the seats, and their verdict replaces the score', async () => {
    const { local, seated, registeredPeer, enter, openBeacon, bundleOf, sealedVerdicts } = scene
    const { identity, chain } = registeredPeer()
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
    const session = sessionOf(chain)
    const told: Bond[] = []
    const ask = (of: number) => appealScore(session, { peerKey, round: of }, bond => told.push(bond))
    await expect(ask(round)).rejects.toThrow(`score of round ${round} is not settled yet`)
    expect(await chain.settle({ round, shard: 0, peerKeys: [peerKey] })).toMatchObject({ status: 'mined' })
    const early = ask(round + 1)
    await expect(early).rejects.toThrow(
      `round ${round + 1} can be appealed in round ${round + 4}; the current round is ${round + 3}.`,
    )
    await expect(ask(round - 1)).rejects.toThrow(`could be appealed in round ${round + 2}`)
    const valueWei = await readAppealBond(chain.client, chain.contracts, 1)
    const wealth = await chain.readBalance(chain.account)
    await local.client.setBalance({ address: chain.account, value: valueWei })
    await expect(ask(round)).rejects.toThrow(
      /^The bond is 0\.01 of the native coin, and the account 0x\w+ has 0\.01\.$/,
    )
    await local.client.setBalance({ address: chain.account, value: wealth })
    expect(await ask(round)).toMatchObject({ level: 1, bond: '0.01', bondWei: `${valueWei}` })
    const terms = expect.stringContaining('is returned unless the score stands')
    expect(told).toEqual(Array(2).fill({ bond: '0.01', bondWei: `${valueWei}`, terms }))
    expect(await listBonds(session)).toMatchObject({ appeal: { bond: '0.01' }, secondAppeal: { bond: '0.02' } })
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
    const bench = await chain.readJury(round, peerKey)
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
    expect((await chain.readVerdicts(found)).map(({ scoreMilli }) => scoreMilli)).toEqual([700, 700, 700])
    const judged = { round, peerKey, drawn: 3, verdicts: [700, 700, 700] }
    expect(await chain.readJudgedAppeals({ first: round, last: round + 5 })).toEqual([judged])
    expect(await chain.readJudgedAppeals({ first: round - 3, last: round + 4 })).not.toContainEqual(judged)
    await enter(found.closesFrom)
    expect(await chain.closeAppeal(found)).toMatchObject({ status: 'mined' })
    const seats = { round, peerKey, level: 1, positions: [0, 1, 2] }
    expect(await chain.readSeatsToJudge(found)).toEqual([seats])
    // Seats may be judged in parts, by anyone.
    expect(await chain.judgeSeats({ ...seats, positions: [1] })).toMatchObject({ status: 'mined' })
    expect(await chain.readSeatsToJudge(found)).toEqual([{ ...seats, positions: [0, 2] }])
    expect(await close(session)).toEqual({ closed: [], judged: [{ round, peerKey, judgedSeats: 2 }] })
    expect(await chain.readSeatsToJudge(found)).toEqual([])
    expect(await chain.readCase(round, peerKey)).toMatchObject({ isClosed: true, finalMilli: 700 })
    const ruled = (await chain.readRulings(round)).filter(ruling => ruling.peerKey === peerKey)
    expect(ruled.map(({ kind }) => kind)).toEqual(['appealed', 'verdict', 'verdict', 'verdict', 'closed'])
    expect(ruled[1]).toMatchObject({ level: 1, seatKey: expect.stringMatching(/^0x/), scoreMilli: 700 })
    expect(ruled.at(-1)).toMatchObject({ outcome: 'scored', scoreMilli: 700, isMoot: false })
    expect(await chain.readRulings(round + 1)).toEqual([])
    // Half of it pays the seats, but for what can't be divided among three.
    const feeWei = valueWei / 2n
    const seat = await explainWork({ ...asked(), data: '', round, peer: seated[0]?.identity.peerId ?? '' })
    const pay = formatEther(feeWei / 3n)
    expect(seat.votes).toContain(
      `It judged the appeal of ${identity.name}: 0.700. It was paid ${pay} of the chain's coin for that.`,
    )
    expect(await readCredit(chain.client, chain.contracts, chain.account)).toBe(valueWei - feeWei + (feeWei % 3n))
  })

  test('every point is derived again from votes and verdicts, after a false leaf, a withheld one and an appeal', async () => {
    const found = await auditPoints({ ...asked(), indexUrl: undefined })
    expect(found.findings).toEqual([])
    expect(found.settlements).toBe(2)
    expect(found.peers.map(({ pointsMilli }) => pointsMilli)).toEqual([700, 500, 0, 0])
    expect(found.block).toBe(found.headBlock)
  })

  test('two endpoints are compared: one that leaves out events is told from one that does not answer', async () => {
    await using hostile = await startHostileEndpoint(scene.local.rpcUrl)
    const both = { ...asked(), rpcUrl: `${scene.local.rpcUrl},${hostile.url}`, indexUrl: undefined }
    expect((await auditPoints(both)).endpoints).toEqual([scene.local.rpcUrl, originsOf(hostile.url)])
    hostile.fail(withoutBeacons, ({ method }) => method === 'eth_getLogs')
    await expect(auditPoints(both)).rejects.toThrow('has 2 settlements of')
    hostile.fail('a closed connection')
    expect((await auditPoints(both)).endpoints).toEqual([scene.local.rpcUrl])
    // No view that is read reverts.
    hostile.fail('a revert without data', isOfBlock)
    expect((await auditPoints(both)).endpoints).toEqual([scene.local.rpcUrl])
  })

  test('an endpoint that hides what came last, or lacks events or state, ends the audit', async () => {
    await using hostile = await startHostileEndpoint(scene.local.rpcUrl)
    const alone = { ...asked(), rpcUrl: hostile.url, indexUrl: undefined }
    const both = { ...alone, rpcUrl: `${scene.local.rpcUrl},${hostile.url}` }
    hostile.fail('a list', ({ method }) => method === 'eth_getLogs')
    await expect(auditPoints(alone)).rejects.toMatchObject({ code: 'EVENTS_MISSING', retryable: true })
    for (const hiddenSec of [130n, 0n]) {
      hostile.fail(
        changed(answers => answers.map(older(hiddenSec))),
        ({ method, params }) => method === 'eth_getBlockByNumber' && params[0] === 'latest',
      )
      await expect(auditPoints(both)).rejects.toMatchObject({ code: 'STALE_ENDPOINT', retryable: true })
    }
    hostile.fail(
      changed(answers => answers.map(answer => aged(answer, 1n))),
      ({ method, params }) => method === 'eth_getBlockByNumber' && params[0] !== 'latest',
    )
    await expect(auditPoints(both)).rejects.toMatchObject({ code: 'ENDPOINTS_DISAGREE' })
    hostile.fail(
      changed(answers => answers.map(({ id }) => ({ id, error: { code: -32_000, message: 'missing trie node' } }))),
      isOfBlock,
    )
    await expect(auditPoints(both)).rejects.toMatchObject({
      code: 'STATE_UNAVAILABLE',
      hint: expect.stringContaining('archive endpoint'),
    })
    const { headBlock } = await auditPoints({ ...asked(), indexUrl: undefined })
    hostile.fail(
      'null',
      ({ method, params }) => method === 'eth_getBlockByNumber' && params[0] === numberToHex(headBlock),
    )
    await expect(auditPoints(both)).rejects.toMatchObject({
      code: 'STATE_UNAVAILABLE',
      hint: expect.stringContaining('is late'),
    })
    let reads = 0
    hostile.fail(
      changed(answers => answers.map(answer => (reads++ === 0 ? answer : { ...answer, result: otherHash(answer) }))),
      ({ method, params }) => method === 'eth_getBlockByNumber' && params[0] === numberToHex(headBlock),
    )
    await expect(auditPoints(alone)).rejects.toThrow(`replaced its block ${headBlock} while it was read`)
  })

  test('a public chain is audited four blocks below its newest, and an old block is reported though the newest is not', async () => {
    await using hostile = await startHostileEndpoint(scene.local.rpcUrl)
    const { chainId } = knownNetworks.sepolia
    const deployment = { ...scene.deployment, chainId }
    hostile.fail(
      changed((answers, calls) =>
        answers.map((answer, at) => {
          const { method, params } = calls[at] as Call
          if (method === 'eth_chainId') return { ...answer, result: numberToHex(chainId) }
          return method === 'eth_getBlockByNumber' && params[0] !== 'latest' ? aged(answer, 100_000n) : answer
        }),
      ),
    )
    const found = await auditPoints({ deployment, rpcUrl: hostile.url, indexUrl: undefined })
    expect(found).toMatchObject({ isOld: true, block: found.headBlock - 4 })
  })

  test('points of 200 peers are two calls', async () => {
    const client = await connectChain(asked())
    const { number } = await client.heads.read()
    const peerKeys = Array.from({ length: 200 }, (_, at) => word(at + 1))
    const before = client.rpcCounts().calls
    const points = await readPointsOf(client, contractsOf(scene.deployment), peerKeys, BigInt(number))
    expect(points).toEqual(Array(200).fill(0))
    expect(client.rpcCounts().calls - before).toBe(2)
  })

  test('an index is compared as of its own block, with who should have nothing as well, and said to be ahead', async () => {
    const { local, deployment } = scene
    const { headBlock, peers } = await auditPoints({ ...asked(), indexUrl: undefined })
    const [appealed, other] = peers.map(({ peerKey }) => peerKey)
    if (appealed === undefined || other === undefined) throw new Error('no peers')
    const { client } = local
    const rulings = { ...contractsOf(deployment).challenges, eventName: 'AppealClosed', fromBlock: 0n } as const
    const [closed] = await client.getContractEvents(rulings)
    const before = Number(closed?.blockNumber) - 1
    const audit = async (block: number, points: IndexState['points']) => {
      await using index = await startFakeIndex(deployment.chainId, [{ block, points }])
      return await auditPoints({ ...asked(), indexUrl: index.url })
    }
    // By then the chain, too, had nothing for who appealed.
    expect(await audit(before, [[other, 500]])).toMatchObject({ ...{ block: before, headBlock, findings: [] } })
    const stale = [{ peerKey: appealed, says: 'has 0 by the index, and 700 by votes' }]
    expect((await audit(headBlock, [[other, 500]])).findings).toEqual(stale)
    const invented = [{ peerKey: word(77), says: 'has 5 by the index, and 0 by votes' }]
    const whole = [[appealed, 700], [other, 500], [word(77), 5]] as const // biome-ignore format: a row
    expect((await audit(headBlock, whole)).findings).toEqual(invented)
    await expect(audit(headBlock + 9, [])).rejects.toThrow(`has reached block ${headBlock + 9}`)
  })

  test('points on the chain of who committed and was never settled are found', async () => {
    const { local, deployment } = scene
    const { client } = local
    const { address } = contractsOf(deployment).rewardVotes
    const { peers } = await auditPoints({ ...asked(), indexUrl: undefined })
    const [rich, nothing] = [peers[0], peers.at(-1)]
    if (rich === undefined || nothing === undefined) throw new Error('no peers')
    const slotOf = (peerKey: Hex, base: number) =>
      keccak256(encodeAbiParameters([{ type: 'bytes32' }, { type: 'uint256' }], [peerKey, BigInt(base)]))
    const read = (base: number) => client.getStorageAt({ address, slot: slotOf(rich.peerKey, base) })
    let base = 0
    while (BigInt((await read(base)) ?? 0) !== BigInt(rich.pointsMilli)) base += 1
    const write = (value: number) =>
      client.setStorageAt({ address, index: slotOf(nothing.peerKey, base), value: numberToHex(value, { size: 32 }) })
    await write(40)
    await client.mine({ blocks: 1 })
    const { findings } = await auditPoints({ ...asked(), indexUrl: undefined })
    await write(0)
    expect(findings).toEqual([{ peerKey: nothing.peerKey, says: 'has 40 by the chain, and 0 by votes' }])
  })

  test('a seat that changes ten rounds later leaves old rounds as they were, for audits and explanations', async () => {
    const { local, deployment, enter } = scene
    const { rewardVotes, rounds } = contractsOf(deployment)
    const settlements = { ...rewardVotes, eventName: 'Settled', fromBlock: 0n, strict: true } as const
    const [settled] = await local.client.getContractEvents(settlements)
    if (settled === undefined) throw new Error('nothing is settled')
    const { peerKey: peer, round } = settled.args
    const seatsOf = async () => (await explainWork({ ...asked(), data: '', peer, round: Number(round) })).work.seats
    const seats = await seatsOf()
    expect(seats).toHaveLength(3)
    const now = await local.client.readContract({ ...rounds, functionName: 'currentRound' })
    await enter(Number(now) + 10)
    for (const functionName of ['admitEvaluator', 'removeEvaluator'] as const) {
      const call = { ...rewardVotes, functionName, args: [word(99)] } as const
      await local.mined(local.client.writeContract({ ...call, account: local.admin, chain: null }))
    }
    const forgotten = local.client.readContract({ ...rewardVotes, functionName: 'seatsAt', args: [round] })
    await expect(forgotten).rejects.toThrow('RoundHistory_Forgotten')
    expect(await seatsOf()).toEqual(seats)
    expect((await auditPoints({ ...asked(), indexUrl: undefined })).findings).toEqual([])
  })
}
