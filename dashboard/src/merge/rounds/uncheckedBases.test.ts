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

test('a seat that names many bases hides none that more seats name', () => {
  const made = { votes: Array.from({ length: 1024 }, (_, at) => vote(`0x${at}`, `0xf${at}`)) }
  const honest = Array(2).fill({ votes: [vote('0xb', '0x66')] })
  const found = uncheckedBases({ evaluators: [made, ...honest] })
  expect(found[0]).toEqual({ base: '0x66', seats: 2, of: 2, peers: 1 })
  expect(found.length).toBe(16)
})
