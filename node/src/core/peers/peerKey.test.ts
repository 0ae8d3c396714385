import { expect, test } from 'vitest'
import { peerKeyOf } from './peerKey.ts'

test('a peer key is the keccak of the text of the peer id', () => {
  // keccak256("hello")
  expect(peerKeyOf('hello')).toBe('0x1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8')
})
