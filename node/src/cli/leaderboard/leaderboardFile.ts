import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { NodeError } from '#base/errors.ts'
import { writeFileAtomic } from '#base/writeFileAtomic.ts'
import type { LeaderboardRow } from '#chain/peers/readRlSwarm.ts'

const integer = z
  .string()
  .regex(/^-?\d{1,40}$/)
  .transform(BigInt)
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/)

const schema = z.strictObject({
  /** Source of the rows, so that anyone can read them again. */
  chainId: z.int().min(1),
  coordinator: address,
  block: z.int().min(0),
  blockHash: z.string().regex(/^0x[0-9a-f]{64}$/),
  rows: z
    .array(z.strictObject({ peerId: z.string().min(1).max(128), rewards: integer, wins: integer }))
    .max(10_000)
    .refine(rows => new Set(rows.map(({ peerId }) => peerId)).size === rows.length, 'a peer is there twice'),
})

export type Leaderboard = Omit<z.output<typeof schema>, 'rows'> & { rows: readonly LeaderboardRow[] }

/** A file that is not a leaderboard, or a damaged one. */
export class LeaderboardFileError extends NodeError {
  override readonly code = 'LEADERBOARD_FILE'
}

export async function writeLeaderboard(path: string, { rows, ...source }: Leaderboard): Promise<void> {
  const lines = rows.map(row => JSON.stringify({ ...row, rewards: `${row.rewards}`, wins: `${row.wins}` }))
  const head = JSON.stringify(source).slice(0, -1)
  await writeFileAtomic(path, `${head},"rows":[\n${lines.join(',\n')}\n]}\n`)
}

/** @throws {LeaderboardFileError} */
export async function readLeaderboard(path: string): Promise<Leaderboard> {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch (cause) {
    const [issue] = cause instanceof z.ZodError ? cause.issues : []
    const why = issue ? `${issue.path.join('.')}: ${issue.message}` : (cause as Error).message
    throw new LeaderboardFileError(`${path} is not a leaderboard (${why}).`, {
      hint: 'npx waggle leaderboard read FILE writes one.',
      cause,
    })
  }
}
