import { type AutoNATComponents, autoNAT } from '@libp2p/autonat'

/**
 * AutoNAT: finds out which of the addresses that others see can be dialled, so that these are announced.
 *
 * A peer that is asked to dial an address already has a connection with the asking peer, and libp2p would return that connection instead of a new
 * one. Then nothing is dialled, no address is ever confirmed, and the connection is closed afterwards. Here each of its dials is a new connection.
 */
export function dialBack(components: AutoNATComponents) {
  const manager = components.connectionManager
  const openConnection: typeof manager.openConnection = (peer, options) =>
    manager.openConnection(peer, { ...options, force: true })
  const connectionManager = overlay(manager, { openConnection })
  return autoNAT()(overlay(components, { connectionManager }))
}

/** The same object with some properties replaced. Methods keep their object, which has private fields. */
function overlay<T extends object>(object: T, over: Partial<T>): T {
  return new Proxy(object, {
    get(target, name) {
      if (Object.hasOwn(over, name)) return over[name as keyof T]
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
