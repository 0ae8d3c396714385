import { readFile, rm } from 'node:fs/promises'
import type { Address } from 'viem'
import { z } from 'zod'
import { type LeaderboardRow, openRlSwarm } from '#chain/readRlSwarm.ts'
import { writeFileAtomic } from '#core/writeFileAtomic.ts'
import type { Leaderboard } from './leaderboardFile.ts'

export type LeaderboardSource = {
  /** An endpoint of RL Swarm's chain. */
  rpcUrl: string
  coordinator: Address
  /** Of its deployment; blocks before are not read. */
  fromBlock: number
  /** Rows that are kept, highest rewards first. */
  limit: number
  /** Where the search for peers is kept while it runs. */
  partPath: string
}

export type LeaderboardProgress = { block: number; ofBlock: number; peers: number }

const partSchema = z.strictObject({
  chainId: z.int(),
  coordinator: z.string(),
  nextBlock: z.int().min(0),
  peerIds: z.array(z.string()),
})

/** Block ranges between two notes of the search. */
const NOTE_EVERY = 10

/**
 * Reads RL Swarm's leaderboard: every peer that was registered, with its totals at one block. A search that was stopped resumes.
 *
 * @returns peers with rewards or wins, and how many had to be left out.
 * @throws {ChainUnreachableError} if the endpoint does not answer; the search so far is kept.
 */
export async function readRlSwarm(
  source: LeaderboardSource,
  progress: (now: LeaderboardProgress) => void,
): Promise<Leaderboard & { unfit: number; beyondLimit: number }> {
  const { rpcUrl, coordinator, fromBlock, limit, partPath } = source
  const swarm = openRlSwarm(rpcUrl, coordinator)
  const chainId = await swarm.chainId()
  const part = await readPart(partPath, { chainId, coordinator, nextBlock: fromBlock, peerIds: [] })
  const peerIds = new Set(part.peerIds)
  const block = await swarm.settledBlock()
  let ranges = 0
  for await (const found of swarm.registered(BigInt(part.nextBlock), block.number)) {
    for (const peerId of found.peerIds) peerIds.add(peerId)
    progress({ block: Number(found.through), ofBlock: Number(block.number), peers: peerIds.size })
    const now = { chainId, coordinator, nextBlock: Number(found.through) + 1, peerIds: [...peerIds] }
    if (++ranges % NOTE_EVERY === 0) await writeFileAtomic(partPath, JSON.stringify(now))
  }
  const { rows, unfit } = await swarm.totals([...peerIds], block.number)
  const counted = rows.filter(({ rewards, wins }) => rewards !== 0n || wins > 0n).sort(byRewards)
  await rm(partPath, { force: true })
  return {
    ...{ chainId, coordinator, block: Number(block.number), blockHash: block.hash },
    ...{ rows: counted.slice(0, limit), unfit, beyondLimit: Math.max(0, counted.length - limit) },
  }
}

/** The search that is kept, if it is of this source; else the beginning of one. */
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
