import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '#core/clock.ts'
import { createJournal } from '#store/journal.ts'
import { JOURNAL_FILE, openDatabase } from '#store/openDatabase.ts'
import { type LivePeer, type LiveSwarm, startLiveSwarm } from './liveSwarm.ts'

/** A peer stakes from 100 rounds before this one on. */
const BOOTSTRAP_ROUNDS = 103
const NECTAR = 10n ** 18n

let swarm: LiveSwarm
let peer: LivePeer

beforeAll(async () => {
  swarm = await startLiveSwarm({ bootstrapRounds: BOOTSTRAP_ROUNDS })
  peer = await swarm.newPeer('peer')
  await swarm.giveNectar(peer.address, 120n * NECTAR)
  await swarm.enter(0)
}, 120_000)

afterAll(() => swarm?.stop())

/** Begins a round, and waits until the peer has done all that it does in it. */
async function live(round: number): Promise<void> {
  await swarm.enter(round)
  const db = openDatabase(join(peer.data, JOURNAL_FILE))
  const { getState } = createJournal(db, systemClock)
  await expect.poll(() => getState('round'), { timeout: 60_000 }).toBe(round)
  db.close()
}

const stakes = async () => (await peer.waggle('stake', 'show')).said
const seatsOf = (round: number) =>
  swarm.chain.client.readContract({ ...swarm.contracts.rewardVotes, functionName: 'seatsAt', args: [BigInt(round)] })

test('an evaluator stakes when bootstrap is about to end, keeps its seat, and stays away once its operator has left', {
  timeout: 240_000,
}, async () => {
  const role = await peer.start('evaluator')
  await swarm.admit(peer)
  await live(2)
  expect((await stakes()).stakes[0]).toMatchObject({ duty: 'evaluator', amount: '0' })
  await live(3)
  await role.said('staked', { round: 3 })
  expect((await stakes()).stakes[0]).toMatchObject({ amount: '100', full: '100', freeFromRound: null })
  for (const round of [BOOTSTRAP_ROUNDS - 1, BOOTSTRAP_ROUNDS]) expect(await seatsOf(round)).toEqual([peer.peerKey])

  await live(BOOTSTRAP_ROUNDS)
  const notice = await peer.waggle('unstake', 'evaluator')
  const free = BOOTSTRAP_ROUNDS + 13
  expect(notice).toMatchObject({ code: 0, stderr: '', said: { duty: 'evaluator', freeFromRound: free } })
  await live(BOOTSTRAP_ROUNDS + 1)
  expect(await seatsOf(BOOTSTRAP_ROUNDS + 1)).toEqual([])
  await live(free)
  expect((await peer.waggle('unstake', 'evaluator')).said).toMatchObject({ withdrawn: '100' })
  await live(free + 1)
  expect(await stakes()).toMatchObject({ balance: '120', stakes: [{ amount: '0', hasLeft: true }, { hasLeft: false }] })

  // Nor after a restart.
  await role.stop()
  const again = await peer.start('evaluator')
  await live(free + 2)
  expect((await stakes()).balance).toBe('120')

  expect((await peer.waggle('stake', 'evaluator')).said).toMatchObject({ staked: '100' })
  await live(free + 3)
  expect(await seatsOf(free + 3)).toEqual([peer.peerKey])
  expect((await stakes()).stakes[0]).toMatchObject({ amount: '100', hasLeft: false })

  // Its operator takes out what is not staked, through the peer that runs.
  const owner = '0x00000000000000000000000000000000000a11ce'
  const { client } = swarm.chain
  const nectarOf = () => client.readContract({ ...swarm.contracts.nectar, functionName: 'balanceOf', args: [owner] })
  expect((await peer.waggle('send', owner, '12.5')).said).toMatchObject({ sent: '12.5', left: '7.5' })
  expect((await peer.waggle('send', owner, 'all')).said).toMatchObject({ sent: '7.5', left: '0' })
  expect(await nectarOf()).toBe(20n * NECTAR)
  expect((await peer.waggle('send', owner, '0.25', '--coin')).said).toMatchObject({ kind: 'coin', sent: '0.25' })
  expect(await client.getBalance({ address: owner })).toBe(NECTAR / 4n)
  expect(await peer.waggle('send', owner, '1')).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining('can send 0 Nectar at most') },
  })
  await again.stop()
})
