import { expect, test } from 'vitest'
import { uncheckedBases } from './uncheckedBases.ts'

const vote = (peerKey: string, lacksBase: string | null = null) => ({ peerKey, lacksBase })

test('seats that lack a base are counted among those that scored the peers over it', () => {
  const evaluators = [
    { votes: [vote('0xa'), vote('0xb', '0x66')] },
    { votes: [vote('0xa'), vote('0xb', '0x66'), vote('0xc', '0x66')] },
    { votes: [vote('0xa'), vote('0xb')] },
    // A seat of another committee.
    { votes: [vote('0xd')] },
  ]
  expect(uncheckedBases({ evaluators })).toEqual([{ base: '0x66', seats: 2, of: 3, peers: 2 }])
  expect(uncheckedBases({ evaluators: evaluators.slice(3) })).toEqual([])
})
