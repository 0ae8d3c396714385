import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { PROCESSES_FILE } from '../swarm/processes/leftovers.ts'
import { lockData } from '../swarm/processes/lock.ts'
import { Supervisor } from '../swarm/processes/supervisor.ts'
import { realSwarm } from './realSwarm.ts'

test('Ctrl-C ends the wait for what a killed swarm left running, and releases the folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waggle-real-swarm-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await (await lockData(folder))()
  const killed = new Supervisor(join(folder, 'logs'), join(folder, PROCESSES_FILE))
  const forever = ['-e', 'setInterval(() => {}, 1000)']
  const { exited } = await killed.start({ name: 'peer', command: process.execPath, argv: forever })
  const said: string[] = []
  const log = (line: string) => {
    said.push(line)
    process.emit('SIGINT')
  }
  const swarm = realSwarm({ ...{ folder, specification: 'none', model: 'none', rounds: 1, port: 4000 }, log })
  await expect(swarm).rejects.toThrow('aborted')
  expect(said).toEqual(['ending what a killed swarm left running: peer …'])
  await (await lockData(folder))()
  await exited
})
