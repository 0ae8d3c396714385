import { type Hex, keccak256 } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LivePeer, type LiveSwarm, startLiveSwarm } from './liveSwarm.ts'

const BOOTSTRAP_ROUNDS = 3
const NECTAR = 10n ** 18n

let swarm: LiveSwarm
let peer: LivePeer

beforeAll(async () => {
  swarm = await startLiveSwarm({ bootstrapRounds: BOOTSTRAP_ROUNDS })
  peer = await swarm.newPeer('proposer')
  await swarm.giveNectar(peer.address, 60n * NECTAR)
}, 120_000)

afterAll(() => swarm?.stop())

const committedTo = async (round: number) => {
  const { rolloutCommitments } = swarm.contracts
  const args = [BigInt(round), peer.peerKey] as const
  return (await swarm.chain.client.readContract({ ...rolloutCommitments, functionName: 'secretOf', args }))[0]
}

/** As anyone may, without a bond. */
const challenged = (round: number) =>
  swarm.chain.client.simulateContract({
    ...{ ...swarm.contracts.openings, functionName: 'challengeSecret', account: swarm.chain.admin },
    args: [BigInt(round), peer.peerKey],
  })

/**
 * Begins the next round, with the beacon of the one before the last: nobody here has work to draw by it. Later in the round time passes slowly,
 * so that a busy machine writes its tasks in time.
 */
async function enter(round: number): Promise<void> {
  const send = (functionName: 'fixBeacon' | 'drawBeacon') => {
    const call = { ...swarm.contracts.rounds, functionName, args: [BigInt(round - 2)] } as const
    return swarm.chain.mined(swarm.chain.client.writeContract({ ...call, account: swarm.chain.admin, chain: null }))
  }
  if (round >= 2) {
    await send('fixBeacon')
    const isDrawn = () =>
      send('drawBeacon').then(
        () => true,
        () => false,
      )
    await expect.poll(isDrawn, { timeout: 60_000 }).toBe(true)
  }
  await swarm.enter(round, 0.6)
}

const stake = async () => (await peer.waggle('stake', 'show')).said.stakes[1]

test('a proposer that leaves proposes what it owes, is fined for nothing, and returns without a fine for its time away', {
  timeout: 240_000,
}, async () => {
  const role = await peer.start('proposer')
  await swarm.enter(0)
  await role.said('staked', { round: 0 })
  await role.said('secret committed', { round: 2 })
  for (const round of [1, 2]) {
    await enter(round)
    await role.said('tasks proposed', { round: round + 1 })
  }

  // It owes the rounds 3 and 4.
  const free = 2 + 13
  const notice = await peer.waggle('unstake', 'proposer')
  expect(notice).toMatchObject({ code: 0, stderr: '', said: { duty: 'proposer', freeFromRound: free } })
  await enter(3)
  await role.said('tasks proposed', { round: 4 })
  await role.said('no tasks proposed: notice was given of the stake', { round: 5, freeFromRound: free })
  expect(await committedTo(4)).toBe(true)
  expect(await committedTo(5)).toBe(false)
  await enter(4)
  await role.said('no tasks proposed: notice was given of the stake', { round: 6 })

  expect(await stake()).toMatchObject({ amount: '50', freeFromRound: free, hasLeft: true })
  const early = await peer.waggle('unstake', 'proposer')
  expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining(`round ${free}`) })
  await swarm.enter(free)
  expect((await peer.waggle('unstake', 'proposer')).said).toMatchObject({ withdrawn: '50' })
  expect(await stake()).toMatchObject({ amount: '0', hasLeft: true })

  expect((await peer.waggle('stake', 'proposer')).said).toMatchObject({ staked: '50' })
  await enter(free + 1)
  await role.said('secret committed', { round: free + 3 })
  await enter(free + 2)
  await role.said('tasks proposed', { round: free + 3 })
  for (let round = 2; round <= free + 2; round++) await expect(challenged(round)).rejects.toThrow('NothingWithheld')
  expect(await stake()).toMatchObject({ amount: '50', freeFromRound: null, hasLeft: false })
  await role.stop()
})

test('a proposer whose swarm changes its rules proposes what it owes, and is not fined', {
  timeout: 240_000,
}, async () => {
  const { client, admin, mined } = swarm.chain
  const { rounds } = swarm.contracts
  const own = await client.readContract({ ...rounds, functionName: 'environmentOf', args: [0n] })
  const playFrom = (from: number, environment: Hex) => {
    const call = { ...rounds, functionName: 'setEnvironment', args: [BigInt(from), environment] } as const
    return mined(client.writeContract({ ...call, account: admin, chain: null }))
  }
  const [owed, back] = [20, 22]
  const role = await peer.start('proposer')
  await enter(owed - 2)
  await role.said('tasks proposed', { round: owed - 1 })
  await playFrom(owed, keccak256('0x'))
  await enter(owed - 1)
  await role.said('the swarm uses other rules than this node; pausing', { round: owed })
  await role.said('tasks proposed', { round: owed })
  expect(await committedTo(owed)).toBe(true)
  expect(await committedTo(owed + 1)).toBe(false)
  await enter(owed)
  await expect(challenged(owed)).rejects.toThrow('NothingWithheld')
  await playFrom(back, own)
  await enter(back - 1)
  await role.said('secret committed', { round: back + 1 })
  await expect(challenged(back - 1)).rejects.toThrow('NothingWithheld')
  await role.stop()
})
