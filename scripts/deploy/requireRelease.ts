import type { ArtifactResolver } from '@nomicfoundation/ignition-core'
import { PROXY } from './bytecode.ts'
import type { ChainReader, LivingContract } from './chain.ts'
import { DeployError } from './deployError.ts'
import { isCodeOf } from './isCodeOf.ts'
import { afreshHint, type Places } from './places.ts'

/**
 * A release may change what a contract does and keep its ABI: only the code on the chain tells.
 *
 * @param artifacts - of this release.
 * @throws {DeployError} CONTRACTS_CHANGED if a contract of the deployment has other code.
 */
export async function requireRelease(
  chain: ChainReader,
  artifacts: ArtifactResolver,
  living: readonly LivingContract[],
  places: Places,
): Promise<void> {
  const isOther = async (name: string, code: string) => !isCodeOf(code, (await artifacts.loadArtifact(name)).bytecode)
  const others = new Set<string>()
  for (const { name, address, code } of living) {
    const isChanged =
      name === 'SwarmCoordinator'
        ? (await isOther(PROXY, code)) || (await isOther(name, await chain.code(await chain.implementation(address))))
        : await isOther(name, code)
    if (isChanged) others.add(name)
  }
  if (others.size > 0) throw contractsChanged(`the code on the chain of ${[...others].join(', ')}`, places)
}

/** @param what - differs from this release's. */
export function contractsChanged(what: string, places: Places): DeployError {
  const hint = `go back to the release that deployed it, or ${afreshHint(places)}`
  return new DeployError('CONTRACTS_CHANGED', `${what} is not this release's`, hint)
}
