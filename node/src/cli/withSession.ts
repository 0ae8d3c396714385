import { feeSettings } from '#chain/outbox/feeSettings.ts'
import { revertedWith, revertHint } from '#chain/revertedWith.ts'
import type { AccountAddress } from '#core/hashes.ts'
import type { Patience } from '#core/patience.ts'
import type { AccountSession, SessionOptions } from '#roles/accountSession.ts'
import type { ReadSession } from '#roles/readSession.ts'
import { openIdentity } from '#store/identity.ts'
import type { Values } from './command.ts'
import { PEER_FOLDER } from './options/commonSettings.ts'
import { loadConfig } from './options/config.ts'
import { openDeployment } from './options/networkOptions.ts'
import { pickSettings } from './options/settingOptions.ts'
import { hasPeer, requirePeer } from './requirePeer.ts'

/**
 * The peer that a command is for, and the deployment that it calls.
 *
 * @throws {UsageError} if the folder holds no peer, or no deployment is found.
 */
export async function openPeerFolder(
  flags: Values,
): Promise<SessionOptions & { patience: Patience; sponsor?: string }> {
  const config = loadConfig(flags)
  requirePeer(config.data, 'Name its folder with --data, or make a new peer: npx waggle init.')
  const { deployment, rpcUrl, patience } = openDeployment(config)
  const { data, sponsor } = config
  const fees = pickSettings(config, feeSettings)
  return {
    data,
    deployment,
    rpcUrl,
    patience,
    identity: await openIdentity(data),
    fees,
    onContinue: () => console.error(CONTINUES),
    ...(sponsor !== undefined && { sponsor }),
  }
}

/**
 * Runs a read of the chain, with the account of the folder's peer if there is one.
 *
 * @throws {UsageError} if a folder was named that holds no peer, or no deployment is found.
 * @throws {CallRefusedError} if the chain refuses to answer.
 */
export async function withReader<T>(flags: Values, act: (session: ReadSession) => Promise<T>): Promise<T> {
  const config = loadConfig(flags)
  if (flags.data !== undefined && flags.data !== PEER_FOLDER)
    requirePeer(config.data, 'Correct --data, or leave it out: this command needs no peer.')
  const account = hasPeer(config.data) ? ((await openIdentity(config.data)).address as AccountAddress) : null
  const { openReadSession } = await import('#roles/readSession.ts')
  return sayRefusal(async () => act(await openReadSession({ ...openDeployment(config), account })))
}

const CONTINUES =
  'This continues the same call of another command, which was interrupted or still runs; no second one is sent. Repeat the command to send another.'

type Close = { close(): Promise<void> }

const openAccount = async (options: SessionOptions) =>
  (await import('#roles/accountSession.ts')).openAccountSession(options)

/** Runs `act` with the account of a peer's folder. @returns its result. */
export function withAccount<T>(values: Values, act: (session: AccountSession) => Promise<T>): Promise<T> {
  return withSession(values, openAccount, act)
}

/**
 * Runs `act` with a session of another kind.
 *
 * @throws {CallRefusedError} if the chain refuses to answer, for instance for an unknown game.
 */
export async function withSession<Session extends Close, T>(
  values: Values,
  open: (options: SessionOptions) => Promise<Session>,
  act: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await open(await openPeerFolder(values))
  return sayRefusal(() => act(session)).finally(() => session.close())
}

async function sayRefusal<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (cause) {
    const refusal = revertedWith(cause)
    if (refusal === null) throw cause
    const { CallRefusedError } = await import('#roles/accountSession.ts')
    throw new CallRefusedError(`The call would revert: ${refusal}.`, { hint: revertHint(refusal), cause })
  }
}
