import { isIPv6 } from 'node:net'
import { z } from 'zod'

/** Address that a server listens on. By default only this machine reaches it. */
export const bindAddress = z.union([z.ipv4(), z.ipv6()]).default('127.0.0.1')

/** Whether only this machine reaches the address. */
export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^127\./.test(address)
}

/** The address in the form of a URL's host. */
export function urlHost(address: string): string {
  return isIPv6(address) ? `[${address}]` : address
}
