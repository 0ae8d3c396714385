import { expect, test } from 'vitest'
import { encodeSigned, type SignedMessage } from '../gossip/signedMessage.ts'
import { createUselessCount, MAX_USELESS } from './uselessMessages.ts'

/** A message of a peer, signed at a time. */
const message = (peer: number, said = peer, sequence = 1): SignedMessage =>
  encodeSigned({
    ...{ from: `peer${peer}`, topic: 't', sequence: Uint8Array.of(0, 0, 0, 0, 0, 0, 0, sequence) },
    ...{ data: Uint8Array.of(said >> 8, said & 255), signature: new Uint8Array(64), key: new Uint8Array(0) },
  })
const many = Array.from({ length: 2 * MAX_USELESS }, (_, at) => at)

/** After how many messages it is too much; null if it never is. */
function tooManyAfter(answer: readonly SignedMessage[], held: readonly SignedMessage[]): number | null {
  const useless = createUselessCount(() => held)
  const at = answer.findIndex(useless.add)
  return at < 0 ? null : at + 1
}

test('forwarding what others sent meanwhile, or other copies of it, is not a fault', () => {
  const held = many.map(at => message(at))
  expect(tooManyAfter(held, held)).toBeNull()
  expect(
    tooManyAfter(
      many.map(at => message(at, at, 2)),
      held,
    ),
  ).toBeNull()
})

test('forwarding the other announcement of authors that sent two different ones, of several rounds, is not a fault', () => {
  const [ours, theirs] = [0, 1].map(copy => many.map(at => message(at >> 4, 2 * at + copy)))
  expect(tooManyAfter(theirs ?? [], ours ?? [])).toBeNull()
  const more = many.map(at => message(at >> 4, 2 * many.length + at))
  expect(tooManyAfter([...(theirs ?? []), ...more], ours ?? [])).toBe(many.length + MAX_USELESS + 1)
})

test('forwarding messages that nobody holds, or one content again and again, is a fault', () => {
  const unknown = many.map(at => message(at))
  expect(tooManyAfter(unknown, [])).toBe(MAX_USELESS + 1)
  const copies = many.map(at => message(1, 1, at & 255))
  expect(tooManyAfter(copies, [message(1)])).toBe(MAX_USELESS + 2)
})
