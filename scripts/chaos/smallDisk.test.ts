import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eachContract } from '../../deployments/contractNames.ts'
import { Supervisor } from '../swarm/processes/supervisor.ts'
import { openSmallDisk, type SmallDisk } from './smallDisk.ts'

/** Nobody answers at its chain: the disk is full before anybody is asked. */
const record = {
  ...{ network: 'test', chainId: 31337 },
  contracts: eachContract(() => ({ address: `0x${'11'.repeat(20)}`, startBlock: 1 })),
}

test('a folder on a small disk keeps what it held, takes nothing while it is full, which a fleet waits out, and is as before to all others', async () => {
  const data = mkdtempSync(join(tmpdir(), 'waggle-disk-'))
  const folder = join(data, 'peer')
  spawnSync('mkdir', [folder])
  writeFileSync(join(folder, 'key'), 'kept')
  writeFileSync(
    join(folder, 'waggle.yaml'),
    `role: solver\ndeployment: ${join(data, 'deployment.json')}\nrpc: http://127.0.0.1:1\n`,
  )
  writeFileSync(join(data, 'deployment.json'), JSON.stringify(record))
  const supervisor = new Supervisor(join(data, 'logs'), join(data, 'processes.json'))
  const disk = await openSmallDisk(supervisor, folder, 2 ** 21)
  if (disk === null) {
    // It may say so only where it is so.
    expect(spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'true']).status).not.toBe(0)
    return
  }
  const shell = (script: string) => {
    const { command, argv } = disk.enter({ name: 'peer', command: 'sh', argv: ['-c', script] })
    return spawnSync(command, argv, { encoding: 'utf8' })
  }
  expect(shell(`cat ${folder}/key`).stdout).toBe('kept')
  await disk.fill()
  expect(shell(`head -c 100000 /dev/zero > ${folder}/more`).stderr).toContain('No space left')
  expect(await fleetOn(disk, data)).toMatch(
    /^peer +There is no space left .*\[DISK_FULL\]\npeer +ended with code 75; starts again in 5 s\n$/,
  )
  await disk.empty()
  expect(shell(`echo there > ${folder}/more && cat ${folder}/more`).stdout).toBe('there\n')
  expect(existsSync(join(folder, 'more'))).toBe(false)
  expect(readFileSync(join(folder, 'key'), 'utf8')).toBe('kept')
  await supervisor.stopAll([''])
})

/** Output of a fleet about a peer whose disk is full, until the peer would be started again. */
async function fleetOn(disk: SmallDisk, fleet: string): Promise<string> {
  const main = join(import.meta.dirname, '../../node/src/cli/main.ts')
  const { command, argv } = disk.enter({ name: 'fleet', command: process.execPath, argv: [main, 'fleet', fleet] })
  const child = spawn(command, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  for await (const chunk of child.stdout) {
    said += chunk
    if (said.includes('starts again')) child.kill('SIGTERM')
  }
  return said
}
