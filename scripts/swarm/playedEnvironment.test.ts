import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseOptions } from './options.ts'
import { peerProcess, type SwarmPeer } from './peers.ts'
import { playedEnvironment } from './playedEnvironment.ts'

const dataset = join(mkdtempSync(join(tmpdir(), 'waggle-swarm-')), 'tasks.jsonl')
writeFileSync(dataset, '{"text": "Return one.", "tests": ["assert f() == 1"]}\n')

/** Arguments of a role's peer, without those that all peers have. */
async function argvOf(role: SwarmPeer['role'], argv: string[]): Promise<string[]> {
  const played = await playedEnvironment(parseOptions(argv), new AbortController().signal)
  const peer = { role, slot: role, folder: role } as SwarmPeer
  const ports = { p2p: 1, gateway: 2 } as Parameters<typeof peerProcess>[0]['ports']
  const launch = { peer, ports, played, deploymentPath: 'd', rpcUrl: 'r', level: undefined }
  const all = peerProcess(launch).argv
  return all.slice(all.indexOf('--listen') + 2)
}

test('the proposer is told of a dataset and its share, and solvers of the dataset', async () => {
  const said = ['--dataset', dataset, '--dataset-share', '0.5']
  expect(await argvOf('proposer', said)).toEqual(said)
  expect(await argvOf('solver', said)).toEqual(['--dataset', dataset])
  expect(await argvOf('evaluator', said)).toEqual([])
  expect(await argvOf('proposer', ['--dataset', 'some/dataset:full'])).toEqual(['--dataset', 'some/dataset:full'])
  expect(await argvOf('proposer', [])).toEqual([])
})
