import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startOf } from './leftovers.ts'
import { lockData } from './lock.ts'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waggle-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A process that locks the folder when asked to, and prints whether it holds it. */
async function locking(folder: string) {
  const module = join(import.meta.dirname, 'lock.ts')
  const program = `const { lockData } = await import(${JSON.stringify(module)})
    process.stdin.once('data', () => lockData(${JSON.stringify(folder)}).then(() => console.log('held'), () => console.log('refused')))
    console.log('ready')`
  const argv = ['--input-type=module', '-e', program]
  const child = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'inherit'] })
  const said = async () => String((await once(child.stdout, 'data'))[0]).trim()
  await said()
  const lock = () => {
    child.stdin.write('\n')
    return said()
  }
  const kill = async () => {
    child.kill('SIGKILL')
    await once(child, 'close')
  }
  return { lock, kill }
}

test('a folder is held until it is released', async () => {
  const folder = newFolder()
  const release = await lockData(folder)
  await expect(lockData(folder)).rejects.toThrow(`process id ${process.pid}`)
  await release()
  await (await lockData(folder))()
  expect(readdirSync(folder)).toEqual(['swarm.lock'])
})

test('of two swarms that find the folder of a killed one, one gets it', async () => {
  const folder = newFolder()
  const killed = await locking(folder)
  expect(await killed.lock()).toBe('held')
  await expect(lockData(folder)).rejects.toThrow('is in use by the swarm with process id')
  await killed.kill()
  const both = await Promise.all([locking(folder), locking(folder)])
  const outcomes = await Promise.all(both.map(({ lock }) => lock()))
  await Promise.all(both.map(({ kill }) => kill()))
  expect(outcomes.sort()).toEqual(['held', 'refused'])
})

test('a killed holder does not hold it, even if a later process has its id, as in a container that starts again', async () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'swarm.pid'), `${process.pid} 1\n`)
  await (await lockData(folder))()
})

test('a running swarm of a release without a lock file holds the folder', async () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'swarm.pid'), `${process.pid} ${startOf(process.pid)}\n`)
  await expect(lockData(folder)).rejects.toThrow(`process id ${process.pid}`)
})

test("a folder of somebody's own is refused and stays as it is, whatever of it has a name of ours", async () => {
  for (const [name, mend] of [
    ['logs', 'delete it if it is of a swarm'],
    ['index', 'move index away'],
  ] as const) {
    const folder = newFolder()
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, 'processes.json'), '{"mine":1}')
    await expect(lockData(folder)).rejects.toThrow(`no swarm has run in ${folder}, which holds ${name}: ${mend}`)
    expect(readdirSync(folder)).toEqual([name, 'processes.json'])
  }
})

test('the folder of a release without a lock file is taken', async () => {
  for (const [name, text] of [
    ['processes.json', '[]'],
    // Killed, with its record of processes lost to a full disk.
    ['swarm.pid', `${process.pid} 1\n`],
  ] as const) {
    const folder = newFolder()
    mkdirSync(join(folder, 'peers'))
    writeFileSync(join(folder, name), text)
    await (await lockData(folder))()
  }
})

test('a lock that cannot be made is named', async () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'swarm.lock'))
  await expect(lockData(folder)).rejects.toThrow(`${join(folder, 'swarm.lock')} cannot be locked`)
})
