import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { requirePeer } from './requirePeer.ts'

test('Without a peer in the folder, one of the local swarm next to it is suggested', () => {
  const root = mkdtempSync(join(tmpdir(), 'waggle-peers-'))
  const missing = () => requirePeer(join(root, 'peer'), 'Name its folder.')
  expect(missing).toThrow(expect.objectContaining({ hint: 'Name its folder.' }))
  for (const name of ['gateway', 'solver-1']) {
    mkdirSync(join(root, 'peers', name), { recursive: true })
    writeFileSync(join(root, 'peers', name, 'peer.key'), '')
  }
  const solver = relative(process.cwd(), join(root, 'peers', 'solver-1'))
  expect(missing).toThrow(
    expect.objectContaining({ hint: `Name its folder. The peers of the local swarm have theirs: --data ${solver}.` }),
  )
})
