import { expect, test } from 'vitest'
import { encodeFileVersion, encodeScalars } from './eventFile.ts'

const hex = (data: Uint8Array) => Buffer.from(data).toString('hex')

// Written by tensorboard 2.x: tensorboard.summary.writer.record_writer of its own protocol buffers.
test('records are, byte for byte, what TensorBoard writes', () => {
  expect(hex(encodeFileVersion(1_700_000_000.5))).toBe(
    '1800000000000000a37f4b220900002040fc54d9411a0d627261696e2e4576656e743a322b353110',
  )
  expect(hex(encodeScalars(1_700_000_001.25, 300, { 'own/reward': 0.5, 'own/pass@1': 0.25 }))).toBe(
    '34000000000000005e33175c0900005040fc54d94110ac022a260a110a0a6f776e2f726577617264150000003f0a110a0a6f776e2f706173734031150000803e72d81e0f',
  )
})
