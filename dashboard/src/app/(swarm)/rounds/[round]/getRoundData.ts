import { getRoundPayloads, type RoundPayloads } from '#sources/gateway.ts'
import { getRoundRecord, type RoundAnswer } from '#sources/getRoundRecord.ts'
import type { Part } from '#sources/part.ts'

export interface RoundData {
  /** The chain's record of the round. */
  record: Promise<Part<RoundAnswer>>
  /** Tasks and answers, which are not on the chain. */
  payloads: Promise<Part<RoundPayloads>>
}

/** A round's number from the address; null if invalid. */
export function readRoundNumber(text: string): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null
}

/** A shard's number from the address; 0 if invalid. */
export function readShard(text: string): number {
  return /^\d{1,6}$/.test(text) ? Number(text) : 0
}

export function getRoundData(round: number, shard: number): RoundData {
  return { record: getRoundRecord(round, shard), payloads: getRoundPayloads(round) }
}
