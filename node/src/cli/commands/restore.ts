import { resolve } from 'node:path'
import { restoreDataFolder } from '#store/backup.ts'
import { openIdentity } from '#store/identity.ts'
import type { Command } from '../command.ts'
import { dataOption, dataUsage } from '../options/networkOptions.ts'
import { requirePeer } from '../requirePeer.ts'

/** Puts a backup back. */
export const restore: Command = {
  usage: `npx waggle restore DIR [--data DIR] [--json]

Puts the backup in DIR back as the folder of a peer, which must be empty or not there. The backup stays as it is. Bets, stakes and other
transactions that were not signed when it was made are forgotten: the peer may have sent them since.

${dataUsage}
  --json              print one JSON object on the last line`,
  options: { ...dataOption, json: { type: 'boolean' } },
  positionals: ['DIR'],
  async run({ data: folder, json }, [source = '']) {
    const [backup, data] = [resolve(source), resolve(String(folder))]
    requirePeer(backup, 'Name a folder that npx waggle backup made.')
    const forgotten = await restoreDataFolder(backup, data)
    const { peerId, name } = await openIdentity(data)
    if (json === true) return console.log(JSON.stringify({ data, backup, peerId, name, forgotten }))
    console.log(`${name} (${peerId}) is restored to ${data}. Start it in one place only.`)
    if (forgotten > 0)
      console.log(
        `Transactions that it had not signed, and may have sent since: ${forgotten}. They were forgotten; ask for them again.`,
      )
  },
}
