import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Supervisor } from '../swarm/supervisor.ts'
import { openSmallDisk } from './smallDisk.ts'

test('a folder on a small disk keeps what it held, takes nothing while it is full, and is as before to all others', async () => {
  const data = mkdtempSync(join(tmpdir(), 'waggle-disk-'))
  const folder = join(data, 'peer')
  spawnSync('mkdir', [folder])
  writeFileSync(join(folder, 'key'), 'kept')
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
  await disk.empty()
  expect(shell(`echo there > ${folder}/more && cat ${folder}/more`).stdout).toBe('there\n')
  expect(existsSync(join(folder, 'more'))).toBe(false)
  expect(readFileSync(join(folder, 'key'), 'utf8')).toBe('kept')
  await supervisor.stopAll([''])
})
