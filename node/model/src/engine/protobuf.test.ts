import { expect, test } from 'vitest'
import { ProtobufWriter } from './protobuf.ts'

test('fields are written as the encoding guide shows', () => {
  expect([...new ProtobufWriter().int(1, 150).finish()]).toEqual([0x08, 0x96, 0x01])
  expect([...new ProtobufWriter().string(2, 'testing').finish()]).toEqual([0x12, 7, ...Buffer.from('testing')])
  expect([...new ProtobufWriter().message(3, new ProtobufWriter().int(1, 150)).finish()]).toEqual([
    0x1a, 3, 0x08, 0x96, 0x01,
  ])
})

test('negative numbers take ten bytes, floats four, little-endian', () => {
  expect([...new ProtobufWriter().int(1, -2).finish()]).toEqual([0x08, 0xfe, ...Array(8).fill(0xff), 0x01])
  expect([...new ProtobufWriter().float(2, 1).finish()]).toEqual([0x15, 0, 0, 0x80, 0x3f])
})

test('a field number above 15 takes two bytes', () => {
  expect([...new ProtobufWriter().int(20, 7).finish()]).toEqual([0xa0, 0x01, 7])
})
