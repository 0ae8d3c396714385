import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { NodeError } from '#base/errors.ts'
import { makeFolder } from '#base/makeFolder.ts'
import { readSmallFile } from '#base/readSmallFile.ts'
import { writeFileAtomicSync } from '#base/writeFileAtomic.ts'
import type { Root, Seed } from '#core/hashes.ts'

/** A Judge's secrets are missing or damaged: its game cannot be revealed. */
class GameSecretsError extends NodeError {
  override readonly code = 'GAME_SECRETS'
}

/** Maximum size of the file. The largest has 32 clues of a thousand characters, each of which JSON may write as six. */
const MAX_BYTES = 2 ** 20

const schema = z.strictObject({
  clues: z.array(z.string()).min(1).max(32),
  answer: z.int().min(0).max(15),
  seed: z.string().regex(/^0x[0-9a-f]{64}$/),
})

type GameSecrets = { clues: string[]; answer: number; seed: Seed }

/** Stores a Judge's secrets by the root that commits to them, readable by their owner only. Must run before the game is opened, or they could be lost. */
export function saveGameSecrets(dataDir: string, root: Root, secrets: GameSecrets): void {
  const folder = join(dataDir, 'market')
  makeFolder(folder, 0o700)
  writeFileAtomicSync(join(folder, `${root}.json`), JSON.stringify(secrets), 0o600)
}

/** @throws {GameSecretsError} if they are missing or damaged. */
export function readGameSecrets(dataDir: string, root: Root): GameSecrets {
  const path = join(dataDir, 'market', `${root}.json`)
  if (!existsSync(path))
    throw new GameSecretsError(`This folder does not hold the clues of the game with root ${root}.`, {
      hint: 'Reveal from the folder (--data) that opened the game, or restore its backup.',
    })
  try {
    return schema.parse(JSON.parse(readSmallFile(path, MAX_BYTES).toString())) as GameSecrets
  } catch (cause) {
    throw new GameSecretsError(`${path} is damaged.`, { hint: 'Restore it from a backup.', cause })
  }
}
