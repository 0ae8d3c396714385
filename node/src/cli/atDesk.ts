import { revertedWith } from '#chain/revertedWith.ts'
import type { AccountDesk, DeskOptions } from '#roles/accountDesk.ts'
import { openIdentity } from '#store/identity.ts'
import type { Values } from './command.ts'
import { loadConfig } from './config.ts'
import { openDeployment } from './networkOptions.ts'
import { requirePeer } from './requirePeer.ts'

/**
 * The peer that a command is about, and the deployment that it asks or deals with.
 *
 * @throws {UsageError} if the folder holds no peer, or the deployment can't be told.
 */
export async function openPeerFolder({ json: _, ...flags }: Values): Promise<DeskOptions> {
  const config = loadConfig(flags)
  requirePeer(config.data, 'Name its folder with --data, or make a new peer: npx waggle init.')
  const { deployment, rpcUrl } = openDeployment(config)
  return { data: config.data, deployment, rpcUrl, identity: await openIdentity(config.data) }
}

type Close = { close(): Promise<void> }

const openAccount = async (options: DeskOptions) => (await import('#roles/accountDesk.ts')).openAccountDesk(options)

/** Does something from the account of a peer's folder. @returns what came of it. */
export function atDesk<T>(values: Values, act: (desk: AccountDesk) => Promise<T>): Promise<T> {
  return atOwnDesk(values, openAccount, act)
}

/**
 * The same at another desk than that of plain calls.
 *
 * @throws {CallRefusedError} if the chain refuses to answer: there is no such game, for instance.
 */
export async function atOwnDesk<Desk extends Close, T>(
  values: Values,
  open: (options: DeskOptions) => Promise<Desk>,
  act: (desk: Desk) => Promise<T>,
): Promise<T> {
  const desk = await open(await openPeerFolder(values))
  try {
    return await act(desk)
  } catch (cause) {
    const refusal = revertedWith(cause)
    if (refusal === null) throw cause
    const { CallRefusedError } = await import('#roles/accountDesk.ts')
    const hint = 'Nothing was sent. The error names what the contract found.'
    throw new CallRefusedError(`The chain would not take it: ${refusal}.`, { hint, cause })
  } finally {
    await desk.close()
  }
}
