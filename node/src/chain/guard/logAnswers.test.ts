import { expect, test } from 'vitest'
import { oddResult } from './answers.ts'

const hash = (of: string) => `0x${of.repeat(32)}`
const address = `0x${'12'.repeat(20)}`
const params = [{ address, topics: [hash('aa'), null, [hash('bb'), hash('cc')]], fromBlock: '0x5', toBlock: '0x9' }]
const call = { method: 'eth_getLogs', params }
const log = {
  ...{ address, topics: [hash('aa'), hash('00'), hash('cc')], data: '0x' },
  ...{ blockNumber: '0x5', blockHash: hash('05'), logIndex: '0x0', transactionIndex: '0x0' },
  transactionHash: hash('dd'),
}

test('events of the requested blocks, contract and topics are an answer, in any case of letters', () => {
  const other = { ...log, address: address.toUpperCase().replace('X', 'x'), blockNumber: '0x9', blockHash: hash('09') }
  expect(oddResult(call, [])).toBeNull()
  expect(oddResult(call, [log, { ...log, logIndex: '0x1' }, other])).toBeNull()
  expect(oddResult({ method: 'eth_getLogs', params: [{}] }, [log])).toBeNull()
})

test.each([
  ['of an earlier block', [{ ...log, blockNumber: '0x4' }], /not asked for/],
  ['of a later block', [{ ...log, blockNumber: '0xa' }], /not asked for/],
  ['of another contract', [{ ...log, address: `0x${'13'.repeat(20)}` }], /not asked for/],
  ['of another kind', [{ ...log, topics: [hash('ab'), ...log.topics.slice(1)] }], /not asked for/],
  ['with a topic less', [{ ...log, topics: log.topics.slice(0, 2) }], /not asked for/],
  ['twice', [log, { ...log, logIndex: '0x1' }, log], /twice/],
  [
    'of two blocks of one number',
    [log, { ...log, blockNumber: '0x6' }, { ...log, logIndex: '0x1', blockHash: hash('06') }],
    /two blocks/,
  ],
  ['that a reorganisation removed', [{ ...log, removed: true }], /not a list of events/],
  ['of a pending block', [{ ...log, blockNumber: null }], /not a list of events/],
])('an event %s makes the answer an outage', (_, answer, says) => {
  expect(oddResult(call, answer)).toMatch(says)
})
