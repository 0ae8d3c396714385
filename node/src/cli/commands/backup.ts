import { resolve } from 'node:path'
import { backupDataFolder } from '#store/backup.ts'
import { openIdentity } from '#store/identity.ts'
import type { Command } from '../command.ts'
import { loadConfig } from '../options/config.ts'
import { dataOption, dataUsage } from '../options/networkOptions.ts'
import { requirePeer } from '../requirePeer.ts'

/** Copies what cannot be had again. */
export const backup: Command = {
  usage: `npx waggle backup DIR [--data DIR] [--json]

Copies keys, journal and weights into DIR, which must not be there yet; also while the peer runs. What can be fetched
again is left out. Whoever has the copy has the keys: keep it where nobody else reads.

${dataUsage}
  --json              print one JSON object on the last line`,
  options: { ...dataOption, json: { type: 'boolean' } },
  positionals: ['DIR'],
  async run({ json, ...flags }, [target = '']) {
    const { data } = loadConfig(flags)
    requirePeer(data, 'Name its folder with --data.')
    const { peerId, name } = await openIdentity(data)
    const folder = resolve(target)
    await backupDataFolder(data, folder)
    if (json === true) return console.log(JSON.stringify({ data, backup: folder, peerId, name }))
    console.log(`${name} (${peerId}) is copied to ${folder}. Whoever has this folder has its keys.`)
  },
}
