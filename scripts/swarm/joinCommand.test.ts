import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { joinCommand } from './joinCommand.ts'
import { parseOptions } from './options.ts'

test('a peer joins by one short command, and by a longer one where the swarm is not at its usual place', () => {
  expect(joinCommand(parseOptions([]))).toBe('npx waggle join --data my-peer')
  const other = parseOptions(['--data', 'elsewhere', '--chain-port', '9000'])
  expect(joinCommand(other)).toBe(
    `npx waggle join --data my-peer --deployment ${resolve('elsewhere/deployment.json')} --rpc http://127.0.0.1:9000`,
  )
  const spaced = parseOptions(['--data', 'else where'])
  expect(joinCommand(spaced)).toBe(
    `npx waggle join --data my-peer --deployment '${resolve('else where/deployment.json')}'`,
  )
})
