/**
 * Run in its own network by `dialBack.long.test.ts`: a host at the first address connects to hosts at the others, which are asked to dial it
 * back. Prints its announced addresses and its remaining connections.
 */
import { multiaddr } from '@multiformats/multiaddr'
import { ping } from './connections/keepAlive.ts'
import { reachabilityOf } from './connections/reachability.ts'
import { startTestHost, until } from './testHosts.ts'

const [mode, port, own, ...addresses] = process.argv.slice(2)
const listenAt = (ip: string) => [`/ip4/${ip}/tcp/${port}`]

/** Places of the hosts that were asked, and dial. */
const dialing = new Set<number>()
const allDialing = Promise.withResolvers<void>()
function noteDial(at: number): boolean {
  dialing.add(at)
  if (dialing.size === addresses.length) allDialing.resolve()
  return true
}
const witnesses = await Promise.all(
  addresses.map((ip, at) => startTestHost({ listen: listenAt(ip), mayDial: () => noteDial(at) })),
)
const host = await startTestHost({ listen: listenAt(own ?? '') })
const before = host.addresses()
for (const [at, { peerId }] of witnesses.entries())
  await host.node.dial(multiaddr(`${listenAt(addresses[at] ?? '')}/p2p/${peerId}`))
if (mode === 'open') await until(host.node, ['self:peer:update'], () => host.addresses().length > 0)
else await allDialing.promise
for (const one of witnesses) await until(one.node, ['connection:close'], () => one.connections().length === 1)
for (const one of host.node.getConnections()) await ping(one, 10_000, AbortSignal.timeout(10_000))
const { by, publicAddresses } = reachabilityOf(host.addresses())
const after = publicAddresses.map(address => address.replace(host.peerId, 'ID'))
console.log(JSON.stringify({ before, by, after, connected: host.connections().length }))
process.exit()
