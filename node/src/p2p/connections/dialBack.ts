import { type AutoNATComponents, autoNAT } from '@libp2p/autonat'

/**
 * AutoNAT: tells which of the addresses that others see can be dialled, so that these are announced.
 *
 * Who is asked to dial an address has a connection with the peer that asks, and libp2p hands out that connection instead of a new one. So
 * nothing was dialled, no address was ever confirmed, and the connection was closed afterwards. Here each of its dials is a new connection.
 */
export function dialBack(components: AutoNATComponents) {
  const manager = components.connectionManager
  const openConnection: typeof manager.openConnection = (peer, options) =>
    manager.openConnection(peer, { ...options, force: true })
  const connectionManager = overlay(manager, { openConnection })
  return autoNAT()(overlay(components, { connectionManager }))
}

/** The same object, but for some properties. Methods keep their object, which has private fields. */
function overlay<T extends object>(object: T, over: Partial<T>): T {
  return new Proxy(object, {
    get(target, name) {
      if (Object.hasOwn(over, name)) return over[name as keyof T]
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
