import { readFile, rm } from 'node:fs/promises'
import type { Address } from 'viem'
import { z } from 'zod'
import { writeFileAtomic } from '#base/writeFileAtomic.ts'
import { StateUnavailableError } from '#chain/chainErrors.ts'
import { readPeers } from '#chain/peers/readPeers.ts'
import { readPointsOf } from '#chain/peers/readPoints.ts'
import { type LeaderboardRow, openRlSwarm, type RlSwarm } from '#chain/peers/readRlSwarm.ts'
import { peerName } from '#core/peers/peerName.ts'
import type { ReadSession } from '#roles/readSession.ts'
import type { Leaderboard } from './leaderboardFile.ts'

export type LeaderboardSource = {
  /** An endpoint of RL Swarm's chain. */
  rpcUrl: string
  coordinator: Address
  /** First block of the deployment; earlier blocks are not read. */
  fromBlock: number
  /** Rows that are kept, highest rewards first. */
  limit: number
  /** File in which the search for peers is kept while it runs. */
  partPath: string
}

const partSchema = z.strictObject({
  chainId: z.int(),
  coordinator: z.string(),
  nextBlock: z.int().min(0),
  peerIds: z.array(z.string()),
})

/** Block ranges between two notes of the search. */
const NOTE_EVERY = 10

/** Blocks at which totals are tried: an endpoint that is slower than it forgets does not finish at any. */
const MOST_BLOCKS = 4

type Found = Leaderboard & { unfit: number; beyondLimit: number }

/**
 * Reads RL Swarm's leaderboard: every peer that was registered, with its totals at one block. A search that was stopped resumes.
 *
 * Endpoints keep the state of few blocks. If that of the block is gone before all totals are read, all are read at a newer one.
 *
 * @param said - receives progress, a line at a time.
 * @returns peers with rewards or wins, and how many had to be left out.
 * @throws {StateUnavailableError} if the endpoint forgot every block before all totals were read; the search is kept.
 * @throws {ChainUnreachableError} if the endpoint does not answer; the search so far is kept.
 */
export async function readRlSwarm(
  source: LeaderboardSource,
  said: (line: string) => void,
  swarm: RlSwarm = openRlSwarm(source.rpcUrl, source.coordinator),
): Promise<Found> {
  const search = await openSearch(source, swarm, said)
  for (let tried = 1; ; tried++) {
    // The search may have taken hours: a second pass finds recent registrations.
    await search.through(await swarm.settledBlock())
    const block = await swarm.settledBlock()
    const peerIds = await search.through(block)
    try {
      const totals = await swarm.totals(peerIds, block.number)
      await rm(source.partPath, { force: true })
      return { ...search.of, block: Number(block.number), blockHash: block.hash, ...ranked(totals, source.limit) }
    } catch (error) {
      if (!(error instanceof StateUnavailableError) || tried === MOST_BLOCKS) throw error
      said(`the endpoint has no state of block ${block.number}: all totals are read at a newer block`)
    }
  }
}

/** Finds the registered peers; progress is saved. */
async function openSearch(
  { coordinator, fromBlock, partPath }: LeaderboardSource,
  swarm: RlSwarm,
  said: (line: string) => void,
) {
  const chainId = await swarm.chainId()
  const part = await readPart(partPath, { chainId, coordinator, nextBlock: fromBlock, peerIds: [] })
  const peerIds = new Set(part.peerIds)
  const note = () => writeFileAtomic(partPath, JSON.stringify({ ...part, peerIds: [...peerIds] }))
  return {
    of: { chainId, coordinator },
    async through({ number }: { number: bigint }): Promise<string[]> {
      if (part.nextBlock > Number(number)) return [...peerIds]
      let ranges = 0
      for await (const found of swarm.registered(BigInt(part.nextBlock), number)) {
        for (const peerId of found.peerIds) peerIds.add(peerId)
        part.nextBlock = Number(found.through) + 1
        said(`block ${found.through} of ${number}: ${peerIds.size} peers`)
        if (++ranges % NOTE_EVERY === 0) await note()
      }
      await note()
      return [...peerIds]
    },
  }
}

/** Peers with rewards or wins, highest rewards first. */
function ranked({ rows, unfit }: { rows: readonly LeaderboardRow[]; unfit: number }, limit: number) {
  const counted = rows.filter(({ rewards, wins }) => rewards !== 0n || wins > 0n).sort(byRewards)
  return { rows: counted.slice(0, limit), unfit, beyondLimit: Math.max(0, counted.length - limit) }
}

/** The saved search if it is of this source; otherwise a new one. */
async function readPart(path: string, begin: z.output<typeof partSchema>): Promise<z.output<typeof partSchema>> {
  try {
    const kept = partSchema.parse(JSON.parse(await readFile(path, 'utf8')))
    const isSame = kept.chainId === begin.chainId && kept.coordinator === begin.coordinator
    return isSame && kept.nextBlock >= begin.nextBlock ? kept : begin
  } catch {
    return begin
  }
}

function byRewards(a: LeaderboardRow, b: LeaderboardRow): number {
  if (a.rewards !== b.rewards) return a.rewards > b.rewards ? -1 : 1
  if (a.wins !== b.wins) return a.wins > b.wins ? -1 : 1
  return a.peerId < b.peerId ? -1 : 1
}

/**
 * Every registered peer by all its points (thousandths; those of rounds that are not final too), best first, as of one block.
 *
 * Peers with equal points are in the order of the blocks of their registration, and of their keys in one block, as on the dashboard.
 *
 * @param limit - maximum number of peers.
 */
export async function listStandings({ client, contracts }: Omit<ReadSession, 'account'>, limit: number) {
  const registered = await readPeers(client, contracts)
  // After the long search for peers: endpoints keep the state of few blocks.
  const { number: block } = await client.heads.read()
  const peerKeys = registered.map(({ peerKey }) => peerKey)
  const points = await readPointsOf(client, contracts, peerKeys, BigInt(block))
  const standings = registered
    .map((peer, at) => ({ ...peer, pointsMilli: points[at] as number }))
    .sort((a, b) => b.pointsMilli - a.pointsMilli || a.block - b.block || (a.peerKey < b.peerKey ? -1 : 1))
    .slice(0, limit)
    .map(({ peerKey, peerId, pointsMilli }, index) => ({
      ...{ rank: index + 1, peerKey, peerId, name: peerName(peerId), pointsMilli },
    }))
  return { block, standings }
}
