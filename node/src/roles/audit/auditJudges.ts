import { once } from '#base/once.ts'
import type { EnvironmentHash } from '#core/hashes.ts'
import type { Environment } from '#environments/environment.ts'

/** The judge of each environment: opened at its first use, and again at the next if that failed. */
export function createAuditJudges<T extends { close(): Promise<void> }>(
  open: (environment: Environment) => Promise<T>,
) {
  const judges = new Map<EnvironmentHash, Promise<T>>()
  return {
    of: (environment: Environment): Promise<T> => once(judges, environment.hash, () => open(environment)),
    /** Closes those that opened. */
    async close(): Promise<void> {
      for (const judge of judges.values()) await (await judge.catch(() => null))?.close()
    },
  }
}
