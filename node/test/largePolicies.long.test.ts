import { randomFillSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '#core/clock.ts'
import { contentId } from '#core/contentId.ts'
import { withDeadline } from '#core/deadline.ts'
import type { PeerKey } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { MAX_POLICY_BYTES } from '#core/payloads/payloadSizes.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import { environmentFrom } from '#environments/codezero/presets.ts'
import { openProofs } from '#roles/checking/proofs.ts'
import { createFetchPlan } from '#roles/fetch/fetchPlan.ts'
import { namePolicy } from '#roles/solver/solverPolicy.ts'
import { openBundles } from '#store/bundles.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { fileNameOf } from '#store/payloadIndex.ts'
import { startTestPeer, type TestPeer } from './p2pNetworks.ts'

/** An adapter of rank 16 to all linear modules of Qwen2.5-0.5B, in float32. */
const POLICY_BYTES = 35_200_000
const [SOLVERS, EVALUATORS] = [6, 5]
const ROUND = 9
const ROUND_MS = 120_000
/** Rest of a round once its beacon is known, and the share of that in which payloads are waited for. */
const VOTES_DUE_MS = (ROUND_MS - 10_000) * (2 / 3)
/** Rounds before, whose policies a jury may still ask for. */
const EARLIER = [ROUND - 4, ROUND - 3, ROUND - 2, ROUND - 1]

const common = { clock: systemClock, logger: silentLogger }
const { signal } = new AbortController()
const root = mkdtempSync(join(tmpdir(), 'waggle-policies-'))
const running: TestPeer[] = []

afterEach(async () => {
  await Promise.all(running.splice(0).map(peer => peer.stop()))
  rmSync(root, { recursive: true, force: true })
})

/** A peer whose payloads are on the disk, within the quotas that a node has. */
async function startPeer(name: string, bootnodes: readonly string[]) {
  const bundles = await openBundles(join(root, name), common)
  const network = await startTestPeer({ bundles, bootnodes })
  running.push(network)
  return { network, bundles, peerKey: peerKeyOf(network.peerId) }
}
type Peer = Awaited<ReturnType<typeof startPeer>>

/** Publishes a policy of random bytes as a solver does, and returns what the chain says of it. */
async function publish({ bundles, peerKey }: Peer): Promise<{ peerKey: PeerKey; policyHash: Hex }> {
  const bytes = randomFillSync(new Uint8Array(POLICY_BYTES))
  const policyHash: Hex = contentId(bytes)
  const chain = {
    ...{ peerKey, readPolicies: async () => new Map() },
    commitPolicy: async () => ({ status: 'mined', hash: policyHash, block: 1 }) as const,
  }
  const policy = { weightsHash: async () => policyHash, publish: async () => bytes }
  const journal = createJournal(openDatabase(':memory:'), systemClock)
  await namePolicy({ chain, bundles, journal, logger: silentLogger }, policy, ROUND)
  return { peerKey, policyHash }
}

/** Files as an evaluator has them after four rounds: only their sizes count here. */
function keepEarlier(name: string, owners: readonly PeerKey[]): Hex[] {
  return EARLIER.flatMap(round => {
    mkdirSync(join(root, name, String(round)), { recursive: true })
    return owners.map(peerKey => {
      const id = contentId(Buffer.from(`${round} ${peerKey}`))
      const path = join(root, name, String(round), fileNameOf({ contentId: id, owner: { kind: 'policy', peerKey } }))
      writeFileSync(path, '')
      truncateSync(path, POLICY_BYTES)
      return id
    })
  })
}

/** Fetches and proves what all solvers committed, as a vote does. */
async function prove(
  { network, bundles }: Peer,
  committed: Awaited<ReturnType<typeof publish>>[],
  ids: Map<Hex, string>,
) {
  const fetchPlan = createFetchPlan(
    { network, bundles, readPeerId: async peerKey => ids.get(peerKey) ?? null, ...common, signal },
    { maxBytes: () => MAX_POLICY_BYTES, opensAtMs: () => 0, roundMs: () => ROUND_MS },
  )
  const node = {
    chain: { readPolicies: async () => new Map(committed.map(one => [one.peerKey, one.policyHash])) },
    environment: { solverFolder: 'base', spec: environmentFrom('starter') },
    ...{ fetchPlan, bundles, chainId: 1, logger: silentLogger, signal },
  }
  const word = (byte: string): Hex => `0x${byte.repeat(32)}`
  const reader = { readDraws: () => Promise.reject(new Error('there are no leaves to read')) }
  const proofs = await openProofs(node, { reader }, { round: ROUND, before: word('33'), beacon: word('44') }, committed)
  const due = withDeadline(signal, VOTES_DUE_MS)
  void proofs.fetch(due)
  const proven = await Promise.all(committed.map(one => proofs.prove(one, [], due)))
  return { proven, counts: fetchPlan.counts() }
}

test('five evaluators have the policies of six solvers in a round of two minutes, each of 35 MB, and keep those of four rounds before', async () => {
  const bootnode = await startPeer('solver 0', [])
  const bootnodes = bootnode.network.addresses()
  const others = Array.from({ length: SOLVERS - 1 }, (_, at) => startPeer(`solver ${at + 1}`, bootnodes))
  const solvers = [bootnode, ...(await Promise.all(others))]
  const names = Array.from({ length: EVALUATORS }, (_, at) => `evaluator ${at}`)
  const earlier = names.map(name =>
    keepEarlier(
      name,
      solvers.map(({ peerKey }) => peerKey),
    ),
  )
  const evaluators = await Promise.all(names.map(name => startPeer(name, bootnodes)))
  await Promise.all(running.map(peer => peer.waitForPeers(SOLVERS + EVALUATORS - 1)))

  const committed: Awaited<ReturnType<typeof publish>>[] = []
  for (const solver of solvers) committed.push(await publish(solver))
  const ids = new Map(solvers.map(({ peerKey, network }) => [peerKey, network.peerId]))
  const votes = await Promise.all(evaluators.map(one => prove(one, committed, ids)))
  for (const [at, { proven, counts }] of votes.entries()) {
    expect(proven).toEqual(Array(SOLVERS).fill({ ok: true, value: { forgiven: 0, bits: 0 } }))
    expect(counts).toEqual({ fetched: SOLVERS, bytes: SOLVERS * POLICY_BYTES, faults: {} })
    const kept = [...(earlier[at] as Hex[]), ...committed.map(one => one.policyHash)]
    expect(kept.filter(id => !evaluators[at]?.bundles.has(id))).toEqual([])
  }
}, 180_000)
