import { expect, test } from 'vitest'
import { readEnvironment } from '../environment.ts'

const complete = { WAGGLE_DEPLOYMENT: '/data/deployment.json', WAGGLE_RPC_URL: 'http://127.0.0.1:8545' }

test('without a deployment and a chain, one line says what to set', () => {
  expect(() => readEnvironment({ WAGGLE_RPC_URL: 'ws://chain' })).toThrow(
    /^cannot start the indexer: WAGGLE_DEPLOYMENT .*; WAGGLE_RPC_URL must start with http:\/\/ or https:\/\/$/,
  )
})

test('a chain on this machine is local, any other is not', () => {
  expect(readEnvironment(complete).isLocal).toBe(true)
  expect(readEnvironment({ ...complete, WAGGLE_RPC_URL: 'https://rpc.example.org' }).isLocal).toBe(false)
})

test('paths are absolute, whatever the working folder becomes', () => {
  expect(readEnvironment({ ...complete, WAGGLE_INDEX: 'somewhere' }).indexFolder).toBe(`${process.cwd()}/somewhere`)
})
