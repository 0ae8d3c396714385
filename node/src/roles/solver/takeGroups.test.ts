import { expect, test } from 'vitest'
import { presets } from '#environments/codezero/presets.ts'
import type { RoundRules } from '../draws/checkRollouts.ts'
import type { PeerNode } from '../peerNode.ts'
import { takeGroups } from './takeGroups.ts'

const keyOf = (peer: number) => `0x${String(peer).padStart(64, '0')}` as const
const self = keyOf(9)

/** Groups taken from each of peers 0 to 4, in order, if those named give nothing. @param trust - of each; 1. */
async function taken(
  {
    peers,
    silent = [],
    held = [],
    trust = [],
  }: { peers: number; silent?: number[]; held?: number[]; trust?: number[] },
  until = new AbortController().signal,
) {
  const committed = [self, ...[0, 1, 2, 3, 4].map(keyOf)].map(peerKey => ({ peerKey }))
  const visitEach = ([{ peerKey }]: [{ peerKey: string }]) => [
    Promise.resolve({ result: { ok: !silent.map(keyOf).includes(peerKey as never), value: [{}, {}] } }),
  ]
  const node = {
    chain: { readRolloutCommitments: async () => committed },
    fetchPlan: { visitEach },
    ...{ identity: { peerKey: self }, payloads: {}, chainId: 1, signal: new AbortController().signal },
  } as unknown as PeerNode
  const rules = {
    spec: { ...presets.starter, sharing: { ...presets.starter.sharing, peers } },
  } as unknown as RoundRules
  const given: [number, number][] = []
  const read: string[] = []
  const trustIn = (peerKey: string) => {
    read.push(peerKey)
    return held.map(keyOf).includes(peerKey as never) ? 0 : (trust[Number(peerKey)] ?? 1)
  }
  for await (const { peerKey, groups } of takeGroups(node, 3, rules, until, trustIn))
    given.push([Number(peerKey), groups.length])
  expect(read, 'the trust of each other peer is read once').toHaveLength(5)
  return given
}

test('a peer that gives nothing leaves its place to another; without another it comes last, without groups', async () => {
  expect((await taken({ peers: 3, silent: [0], held: [1] })).map(([, groups]) => groups)).toEqual([2, 2, 2])
  const few = await taken({ peers: 8, silent: [0], held: [1] })
  expect(few.slice(0, 3).map(([, groups]) => groups)).toEqual([2, 2, 2])
  expect(few.slice(3)).toEqual([
    [0, 0],
    [1, 0],
  ])
  expect(await taken({ peers: 0 })).toEqual([])
})

test('the most trusted are asked first', async () => {
  const asked = await taken({ peers: 3, trust: [0.2, 0.9, 0.1, 0.5, 0.7] })
  expect(asked.map(([peer]) => peer)).toEqual([1, 4, 3])
})

test('once the time is up, nobody is told to have given nothing', async () => {
  expect(await taken({ peers: 8, silent: [0, 1, 2, 3, 4] }, AbortSignal.abort())).toEqual([])
})
