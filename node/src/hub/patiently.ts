import type { HubClient } from './hubClient.ts'
import { HubError } from './hubError.ts'

/** Waits before a busy hub is asked again. */
const BUSY_MS = [500, 2_000, 8_000] as const

/** Asks a busy hub again. An unreachable one is asked once, so that an offline user learns it at once. @throws {HubError} */
export async function patiently<T>({ clock, signal }: HubClient, ask: () => Promise<T>): Promise<T> {
  for (const waitMs of BUSY_MS) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof HubError && error.code === 'HUB_BUSY')) throw error
    }
    await clock.sleep(waitMs, signal)
  }
  return ask()
}

/** A client whose requests are repeated while the hub is busy. */
export const patientClient = (client: HubClient): HubClient => ({
  ...client,
  send: (...asked) => patiently(client, () => client.send(...asked)),
})
