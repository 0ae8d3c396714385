import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { keepStartingPolicies, type SwarmPeer } from './peers.ts'

test('a solver that was stopped before its first save starts with the model as it is, and one that saved with its own weights', async () => {
  const data = await mkdtemp(join(tmpdir(), 'waggle-peers-'))
  onTestFinished(() => rm(data, { recursive: true }))
  const solverWith = async (slot: string, ...files: string[]) => {
    const policy = join(data, 'peers', slot, 'policy')
    await mkdir(policy, { recursive: true })
    for (const file of files) await writeFile(join(policy, file), slot)
    return { slot, role: 'solver', folder: join(data, 'peers', slot) } as SwarmPeer
  }
  const peers = [
    await solverWith('solver-1', 'tokenizer.json'),
    await solverWith('solver-2', 'tokenizer.json', 'adapter_config.json'),
    await solverWith('solver-3', 'model.safetensors'),
  ]
  const copyOf = (slot: string) => join(data, 'before', slot)
  expect([...(await keepStartingPolicies(peers, data))]).toEqual([
    ['solver-1', null],
    ['solver-2', copyOf('solver-2')],
    ['solver-3', copyOf('solver-3')],
  ])
  expect(await readFile(join(copyOf('solver-2'), 'adapter_config.json'), 'utf8')).toBe('solver-2')
})
