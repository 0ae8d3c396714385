import { BlockList, isIPv6 } from 'node:net'

/** Block of this machine's own addresses. A proxy forwards the requests of all clients from there. */
export const LOOPBACK = 'loopback'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** The block of addresses that limits count as one operator: an address of IPv4, a /64 of IPv6. */
export function clientBlock(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (loopback.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4')) return LOOPBACK
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('::')
  const [before, after] = [head, tail ?? ''].map(part => part.split(':').filter(group => group !== ''))
  const zeros = tail === undefined ? 0 : 8 - (before?.length ?? 0) - (after?.length ?? 0)
  return [...(before ?? []), ...Array<string>(zeros).fill('0'), ...(after ?? [])].slice(0, 4).join(':')
}
