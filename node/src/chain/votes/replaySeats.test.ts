import { numberToHex } from 'viem'
import { expect, test } from 'vitest'
import { replaySeats, type SeatChange } from './replaySeats.ts'

const key = (number: number) => numberToHex(number, { size: 32 })
const change =
  (eventName: SeatChange['eventName']) =>
  (peer: number, fromRound: number, isStaked = false): SeatChange => ({
    ...{ eventName, args: { peerKey: key(peer), fromRound: BigInt(fromRound), isStaked } },
  })
const [admitted, removed] = [change('EvaluatorAdmitted'), change('EvaluatorRemoved')]

test('a removal moves the last seat into the gap, from its round on', () => {
  const seatsAt = replaySeats([admitted(1, 0), admitted(2, 0), admitted(3, 0), removed(1, 4), removed(3, 5)], 100)
  expect([3, 4, 5].map(seatsAt)).toEqual([[1, 2, 3].map(key), [3, 2].map(key), [key(2)]])
})

test('staked seats count from the end of bootstrap on, those of the role until then', () => {
  // The chain tells of a staked seat from the end of bootstrap on, also if it is lost before.
  const staked = [admitted(2, 10, true), admitted(3, 10, true), removed(2, 4, true)]
  const seatsAt = replaySeats([admitted(1, 0), ...staked, removed(1, 12)], 10)
  expect([9, 10].map(seatsAt)).toEqual([[key(1)], [key(3)]])
})
