import type { AccountDesk } from '#roles/accountDesk.ts'
import { openIdentity } from '#store/identity.ts'
import type { Values } from './command.ts'
import { loadConfig } from './config.ts'
import { openDeployment } from './networkOptions.ts'
import { requirePeer } from './requirePeer.ts'

/** Does something from the account of a peer's folder. @returns what came of it. */
export async function atDesk<T>({ json: _, ...flags }: Values, act: (desk: AccountDesk) => Promise<T>): Promise<T> {
  const config = loadConfig(flags)
  requirePeer(config.data, 'Name its folder with --data, or make one: npm run waggle -- init.')
  const { deployment, rpcUrl } = openDeployment(config)
  const identity = await openIdentity(config.data)
  const { openAccountDesk } = await import('#roles/accountDesk.ts')
  const desk = await openAccountDesk({ data: config.data, deployment, rpcUrl, identity })
  try {
    return await act(desk)
  } finally {
    await desk.close()
  }
}
