import { expect, test } from 'vitest'
import { type SentCall, sentTwice } from './sentTwice.ts'

const call = (call: string, data: `0x${string}`, account: `0x${string}` = '0xa1'): SentCall => ({
  ...{ account, call, data, hash: '0x', ok: true },
})

test('the same bytes of one account are sent twice, and so is another ballot on the same shard', () => {
  const again = call('settle 3 0', '0x01')
  const changed = { ...call('commitVotes 3 0', '0x03'), ok: false }
  expect(sentTwice([call('settle 3 0', '0x01'), again, call('commitVotes 3 0', '0x02'), changed])).toEqual([
    again,
    changed,
  ])
})

test('amended rollouts, other shards and rounds, and other accounts are not', () => {
  const calls = [
    ...[call('commit 3', '0x01'), call('commit 3', '0x02')],
    ...[call('commitVotes 3 0', '0x03'), call('commitVotes 3 1', '0x04'), call('commitVotes 4 0', '0x05')],
    ...[call('settle 3 0', '0x06'), call('settle 3 0', '0x06', '0xb2')],
  ]
  expect(sentTwice(calls)).toEqual([])
})
