import { resolve } from 'node:path'
import { openBackup } from '#store/backup/openBackup.ts'
import { openIdentity } from '#store/identity.ts'
import { defineCommand } from '../defineCommand.ts'
import { folderSetting } from '../options/commonSettings.ts'
import { jsonOption } from '../options/optionKinds.ts'
import { passphraseOption, readPassphrase } from '../options/readPassphrase.ts'

/** Restores a backup. */
export const restore = defineCommand({
  usage: 'npx waggle restore FILE [--data DIR] [--passphrase-file FILE] [--json]',
  about:
    "Restores a peer's folder from the backup in FILE. The folder must be empty or must not exist. The backup is not changed. Bets, stakes and other transactions that were open when the backup was made are dropped: the peer may have sent them since.",
  own: { ...folderSetting, ...passphraseOption, ...jsonOption },
  positionals: ['FILE'],
  async run({ data: folder, json, 'passphrase-file': path }, [source = '']) {
    const [backup, data] = [resolve(source), resolve(folder)]
    const opened = await openBackup(backup, data)
    const forgotten = await opened.restore(await readPassphrase(path, false))
    const { peerId, name } = await openIdentity(data)
    if (json) return console.log(JSON.stringify({ data, backup, peerId, name, forgotten }))
    console.log(`${name} (${peerId}) is restored to ${data}. Start it in one place only.`)
    if (forgotten > 0)
      console.log(
        `Transactions that were open, and may have been sent since: ${forgotten}. They were forgotten; look for them on the chain before you repeat them.`,
      )
  },
})
