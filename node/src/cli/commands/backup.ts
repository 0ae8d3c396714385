import { resolve } from 'node:path'
import { backupDataFolder, checkTarget } from '#store/backup/backup.ts'
import { openIdentity } from '#store/identity.ts'
import { defineCommand } from '../defineCommand.ts'
import { folderSetting, hubSettings } from '../options/commonSettings.ts'
import { loadConfig } from '../options/config.ts'
import { type HubSettings, modelsFolder } from '../options/modelOptions.ts'
import { jsonOption } from '../options/optionKinds.ts'
import { passphraseOption, readPassphrase } from '../options/readPassphrase.ts'
import { requirePeer } from '../requirePeer.ts'
import { UsageError } from '../usageError.ts'

/** Encrypts the irreplaceable files of a peer into one file. */
export const backup = defineCommand({
  usage: 'npx waggle backup FILE [--data DIR] [--models DIR] [--passphrase-file FILE] [--json]',
  about:
    'Writes keys, settings, journal and weights to FILE, encrypted with a passphrase, also while the peer runs. FILE must not exist. Data that can be fetched again is left out. Without the passphrase nobody can read the backup, not even you. It is a tar archive in the age format: age --decrypt FILE | tar x also reads it.',
  own: { ...folderSetting, ...passphraseOption, ...jsonOption },
  peer: { models: hubSettings.models },
  positionals: ['FILE'],
  async run({ json, data: folder, 'passphrase-file': path }, [target = ''], flags) {
    const [data, file] = [resolve(folder), resolve(target)]
    requirePeer(data, 'Name its folder with --data.')
    checkTarget(data, file)
    const { peerId, name } = await openIdentity(data)
    await backupDataFolder(data, file, await readPassphrase(path, true), { models: modelsOf(data, flags) })
    if (json) return console.log(JSON.stringify({ data, backup: file, peerId, name }))
    console.log(
      `${name} (${peerId}) is backed up to ${file}. Keep the passphrase elsewhere: without it the backup is useless.`,
    )
  },
})

/** Where the peer keeps downloaded models. A folder is backed up even if its settings are wrong, or of another release. */
function modelsOf(data: string, flags: HubSettings): string {
  try {
    return modelsFolder(loadConfig({ ...flags, data }, () => {}))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return modelsFolder(flags)
  }
}
