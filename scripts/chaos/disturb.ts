import { setTimeout as sleep } from 'node:timers/promises'
import { randomStream } from '../../node/model/src/base/random.ts'
import { endpointFaults, type FaultyProxy } from './faultyProxy.ts'

/** Between two faults, and how long one lasts; milliseconds. */
const [GAP_MS, LASTS_MS] = [4_000, 6_000]

/**
 * Makes the endpoint of one peer after another fail, each for some seconds and in a random way.
 *
 * @returns how many faults there were, once the signal is aborted; all work again then.
 */
export async function disturbEndpoints(
  proxy: FaultyProxy,
  slots: readonly string[],
  { seed, signal }: { seed: string; signal: AbortSignal },
): Promise<number> {
  const random = randomStream('chaos endpoints', seed)
  const pause = (ms: number) => sleep(ms * (0.5 + random.uniform()), undefined, { signal }).catch(() => undefined)
  let count = 0
  while (!signal.aborted) {
    await pause(GAP_MS)
    const slot = slots[random.integer(slots.length)] as string
    const fault = endpointFaults[random.integer(endpointFaults.length)]
    if (signal.aborted || fault === undefined) break
    proxy.set(slot, fault)
    count += 1
    await pause(LASTS_MS)
    proxy.set(slot, null)
  }
  return count
}
