import { numberToHex } from 'viem'
import { expect, test } from 'vitest'
import { TooMuchAskedError } from '../chainErrors.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { readVotedRounds, type VotedRound } from './readVotedRounds.ts'

const key = (number: number) => numberToHex(number, { size: 32 })
const account = (number: number) => numberToHex(number, { size: 20 })

type Event = [block: number, eventName: string, args: object]

/** Rounds of a chain of these events, each at its place in the list, and how many events were told before each round. */
async function roundsOf(events: Event[], mostBlocks = 10_000, through = 100_000) {
  let told = 0
  const logs = events.map(([block, eventName, args], logIndex) => ({
    ...{ blockNumber: BigInt(block), logIndex, eventName },
    get args() {
      told = Math.max(told, logIndex)
      return args
    },
  }))
  const rpc = {
    async getLogs({ fromBlock, toBlock }: { fromBlock: bigint; toBlock: bigint }) {
      if (toBlock - fromBlock >= mostBlocks) throw new TooMuchAskedError('too many blocks', { hint: '' })
      return logs.filter(({ blockNumber }) => blockNumber >= fromBlock && blockNumber <= toBlock)
    },
    readContract: async () => 1_000n,
  }
  const of = (address: string) => ({ address })
  const contracts = {
    ...{ startBlock: 0, peerRegistry: of('registry'), rewardVotes: of('votes'), rounds: of('rounds') },
    ...{ rolloutCommitments: of('commitments'), challenges: of('challenges'), stakes: of('stakes') },
  } as unknown as Contracts
  const rounds: (VotedRound & { told: number })[] = []
  const chain = { rpc, rpcUrl: 'x' } as unknown as ChainClient
  for await (const voted of readVotedRounds(chain, contracts, BigInt(through))) rounds.push({ ...voted, told })
  return rounds
}

const committed = (round: number): Event => [
  100 * round + 10,
  'RolloutsCommitted',
  { round: BigInt(round), peerKey: key(1), ordinal: 0 },
]
const settled = (round: number): Event => [
  100 * round + 350,
  'Settled',
  { round: BigInt(round), peerKey: key(1), scoreMilli: 700, votes: 3, outcome: 1 },
]
const beacon = (round: number): Event => [
  100 * round + 120,
  'BeaconDrawn',
  { round: BigInt(round), beacon: key(0xbe00 + round) },
]
const inOrder = (events: Event[]) => events.sort(([a], [b]) => a - b)
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

test('the account of a settlement is the one that the events before it left, also within its block', async () => {
  const [voted] = await roundsOf([
    [2, 'PeerRegistered', { peerKey: key(1), account: account(1) }],
    [7, 'PeerMoved', { peerKey: key(1), to: account(2) }],
    [7, 'Settled', { round: 4n, peerKey: key(1), scoreMilli: 700, votes: 3, outcome: 1 }],
    [7, 'PeerMoved', { peerKey: key(1), to: account(3) }],
  ])
  const [settlement] = voted?.votes.settlements ?? []
  if (voted === undefined || settlement === undefined) throw new Error('no settlement')
  const { accountAt } = voted
  expect(settlement).toMatchObject({ block: 7, logIndex: 2, outcome: 'scored' })
  expect(accountAt(key(1), settlement)).toBe(account(2))
  expect(accountAt(key(1), { block: 7, logIndex: 1 })).toBe(account(1))
  expect(accountAt(key(1), { block: 8, logIndex: 0 })).toBe(account(3))
  expect(accountAt(key(1), { block: 1, logIndex: 9 })).toBeNull()
})

test('a round comes once it is final, with both beacons, so that a history of any length needs the memory of a few', async () => {
  const events = inOrder(numbers(40).flatMap(round => [committed(round), beacon(round), settled(round)]))
  const rounds = await roundsOf(events)
  expect(rounds.map(({ round }) => round)).toEqual(numbers(40))
  for (const { round, votes, told } of rounds) {
    expect(votes).toMatchObject({
      beacon: key(0xbe00 + round),
      beaconBefore: round === 0 ? key(0) : key(0xbe00 + round - 1),
    })
    expect(votes.settlements).toHaveLength(1)
    if (round < 36) expect(events[told]).toEqual(committed(round + 4))
  }
})

test('a round with an open demand or appeal stays until its case is closed', async () => {
  const at = { round: 0n, peerKey: key(1) }
  const rounds = await roundsOf(
    inOrder([
      ...numbers(20).flatMap(round => [committed(round), settled(round)]),
      [150, 'LeafDemanded', at],
      [390, 'AppealOpened', { ...at, level: 1, drawn: 11 }],
      [650, 'AppealOpened', { ...at, level: 2, drawn: 23 }],
      [950, 'AppealClosed', { ...at, outcome: 1, scoreMilli: 300, isMoot: false }],
      [1_250, 'LeafWithheld', at],
    ]),
  )
  expect(rounds.map(({ round }) => round)).toEqual([...numbers(9).slice(1), 0, ...numbers(20).slice(9)])
  const { votes } = rounds.find(({ round }) => round === 0) as VotedRound
  expect(votes.rulings.map(({ kind }) => kind)).toEqual(['appealed', 'appealed', 'closed', 'lost'])
})

test('an endpoint that takes fewer blocks in a request gives the same rounds', async () => {
  const events = inOrder(numbers(9).flatMap(round => [committed(round), beacon(round), settled(round)]))
  const rounds = (of: Awaited<ReturnType<typeof roundsOf>>) => of.map(({ round, votes }) => ({ round, votes }))
  expect(rounds(await roundsOf(events, 70, 2_000))).toEqual(rounds(await roundsOf(events)))
})
