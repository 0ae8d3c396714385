import { resolve } from 'node:path'
import { backupDataFolder, checkTarget } from '#store/backup/backup.ts'
import { openIdentity } from '#store/identity.ts'
import type { Command } from '../command.ts'
import { dataOption, dataUsage } from '../options/networkOptions.ts'
import { passphraseOption, passphraseUsage, readPassphrase } from '../options/readPassphrase.ts'
import { requirePeer } from '../requirePeer.ts'

/** Encrypts what cannot be had again into a file. */
export const backup: Command = {
  usage: `npx waggle backup FILE [--data DIR] [--passphrase-file F] [--json]

Writes keys, settings, journal and weights to FILE, encrypted with a passphrase, also while the peer runs. FILE must not exist.
Data that can be fetched again is left out. Without the passphrase nobody can read the backup, not even you.
It is a tar archive in the age format: age --decrypt FILE | tar x also reads it.

${dataUsage}
${passphraseUsage}
  --json              print one JSON object on the last line`,
  options: { ...dataOption, ...passphraseOption, json: { type: 'boolean' } },
  positionals: ['FILE'],
  async run({ json, data: folder, 'passphrase-file': path }, [target = '']) {
    const [data, file] = [resolve(String(folder)), resolve(target)]
    requirePeer(data, 'Name its folder with --data.')
    checkTarget(data, file)
    const { peerId, name } = await openIdentity(data)
    await backupDataFolder(data, file, await readPassphrase(path, true))
    if (json === true) return console.log(JSON.stringify({ data, backup: file, peerId, name }))
    console.log(`${name} (${peerId}) is kept in ${file}. Keep its passphrase elsewhere: without it the file is lost.`)
  },
}
