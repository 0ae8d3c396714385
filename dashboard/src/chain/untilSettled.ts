import { type Config, getConnection, watchConnection } from '@wagmi/core'

/** A wallet that reconnects takes well under a second; a locked one waits for its reader. */
const PATIENCE_MS = 20_000

/**
 * Waits until the wallet of the last visit has reconnected or is given up. Until then its account is known, but it signs nothing.
 *
 * @returns whether it is settled; false after `PATIENCE_MS`.
 */
export function untilSettled(config: Config): Promise<boolean> {
  const isSettled = () => !/^(re)?connecting$/.test(getConnection(config).status)
  if (isSettled()) return Promise.resolve(true)
  return new Promise(resolve => {
    const end = (settled: boolean) => {
      clearTimeout(timer)
      unwatch()
      resolve(settled)
    }
    const timer = setTimeout(() => end(false), PATIENCE_MS)
    const unwatch = watchConnection(config, { onChange: () => isSettled() && end(true) })
  })
}
