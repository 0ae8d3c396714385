import { getRoundBodies, type RoundBodies } from '#sources/gateway.ts'
import { getRoundRecord, type RoundAnswer } from '#sources/getRoundRecord.ts'
import type { Part } from '#sources/part.ts'

export interface RoundData {
  /** What the chain recorded. */
  record: Promise<Part<RoundAnswer>>
  /** What was proposed and tried, which no chain holds. */
  bodies: Promise<Part<RoundBodies>>
}

/** A round's number from its address; null for anything else. */
export function readRoundNumber(text: string): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null
}

export function getRoundData(round: number): RoundData {
  return { record: getRoundRecord(round), bodies: getRoundBodies(round) }
}
