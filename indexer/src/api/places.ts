import { BlockList } from 'node:net'
import { clientBlock, LOOPBACK } from '@waggle/node/core/clientBlock'

type Limits = {
  total: number
  /** Places of one address, or one /64 of IPv6. */
  ofAddress: number
  /** Places of one address of loopback or a private network: proxies are there, and bridges of containers. They leave some to others. */
  ofProxy: number
}

const privateNetworks = new BlockList()
privateNetworks.addSubnet('10.0.0.0', 8)
privateNetworks.addSubnet('172.16.0.0', 12)
privateNetworks.addSubnet('192.168.0.0', 16)

/** Places of listeners, or of large questions, so that one client cannot have all. */
export function createPlaces({ total, ofAddress, ofProxy }: Limits) {
  const taken = new Map<string, number>()
  let all = 0
  return {
    /** @returns what gives the place back; null if there is none for this address. */
    take(address: string): (() => void) | null {
      const block = clientBlock(address)
      const held = taken.get(block) ?? 0
      const isProxy = block === LOOPBACK || privateNetworks.check(block)
      if (all >= total || held >= (isProxy ? ofProxy : ofAddress)) return null
      taken.set(block, held + 1)
      all += 1
      return () => {
        const left = (taken.get(block) ?? 0) - 1
        if (left > 0) taken.set(block, left)
        else taken.delete(block)
        all -= 1
      }
    },
  }
}
