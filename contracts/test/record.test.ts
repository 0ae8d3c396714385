import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { eachContract } from '../../deployments/contractNames.ts'
import { type DeploymentRecordError, deploymentPath, firstBlock, readDeployment } from '../../deployments/record.ts'
import { freshDir } from './deployOn.ts'

const contract = (digit: number, startBlock: number) => ({ address: `0x${digit.toString(16).repeat(40)}`, startBlock })
const record = {
  network: 'local',
  chainId: 31337,
  contracts: eachContract((name, index) => contract(index + 1, name === 'Rounds' ? 7 : 9 + index)),
}

function recordFile(value: unknown): string {
  const file = path.join(freshDir(), 'deployment.json')
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value))
  return file
}

test('a record is read as it was written, and knows its oldest block', () => {
  const read = readDeployment(recordFile(record))
  assert.deepEqual(read, record)
  assert.equal(firstBlock(read), 7)
})

test('a missing record is an error that says how to get one', () => {
  assert.throws(
    () => readDeployment(path.join(freshDir(), 'none.json')),
    (error: DeploymentRecordError) => error.code === 'DEPLOYMENT_MISSING' && /hardhat deploy/.test(error.hint),
  )
})

test('a record that is not JSON, lacks a contract, has another field or a bad address is refused', () => {
  const { RewardVotes: _, ...rest } = record.contracts
  const bad = [
    '{"network": "lo',
    { ...record, contracts: rest },
    { ...record, note: 'hello' },
    { ...record, contracts: { ...record.contracts, Rounds: { address: '0x12', startBlock: 1 } } },
  ]
  for (const value of bad) {
    const file = recordFile(value)
    assert.throws(
      () => readDeployment(file),
      (error: DeploymentRecordError) => error.code === 'DEPLOYMENT_CORRUPT' && error.message.includes(file),
    )
  }
})

test('a local record is kept in the data folder, any other next to the module', () => {
  assert.equal(deploymentPath('local', '/data'), '/data/deployment.json')
  assert(deploymentPath('sepolia', '/data').endsWith(path.join('deployments', 'sepolia.json')))
})

test('the error says what is wrong with the record', () => {
  const { RewardVotes: _, ...older } = record.contracts
  const { contracts } = record
  const mistyped = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'
  const cases: [unknown, RegExp][] = [
    ['{"network": "lo', /it is not JSON, or cut off$/],
    ['x'.repeat(2 ** 18 + 1), /it has 262145 bytes, more than 262144$/],
    [{ ...record, contracts: older }, /of another release, without the contract RewardVotes$/],
    [{ ...record, contracts: { ...contracts, Oracle: contract(1, 1) } }, /of another release, with a contract Oracle$/],
    [{ ...record, network: 'sepolia' }, /chainId is 31337, but that of sepolia is 11155111$/],
    [
      { ...record, contracts: { ...contracts, Rounds: { address: mistyped, startBlock: 1 } } },
      /contracts.Rounds.address has a wrong checksum/,
    ],
  ]
  for (const [value, words] of cases)
    assert.throws(
      () => readDeployment(recordFile(value)),
      (error: DeploymentRecordError) => error.code === 'DEPLOYMENT_CORRUPT' && words.test(error.message),
    )
  assert.throws(() => readDeployment(freshDir()), /it is not a regular file$/)
})
