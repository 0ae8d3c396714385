import { pullModel } from '#hub/pullModel.ts'
import { parseRepoReference } from '#hub/repoReference.ts'
import { defineCommand } from '../defineCommand.ts'
import { hubSettings } from '../options/commonSettings.ts'
import { modelsFolder, openHub, showProgress } from '../options/modelOptions.ts'
import { jsonOption } from '../options/optionKinds.ts'
import { untilInterrupted } from '../untilInterrupted.ts'

/** Downloads a model. */
export const pull = defineCommand({
  usage: 'npx waggle pull OWNER/NAME[@REVISION] [--models DIR] [--json]',
  about: "An interrupted download resumes; every file is checked against the hub's checksum.",
  own: { ...hubSettings, ...jsonOption },
  positionals: ['OWNER/NAME[@REVISION]'],
  async run({ json, ...settings }, [name = '']) {
    const client = openHub(settings, untilInterrupted())
    const pulled = await pullModel(client, parseRepoReference(name), modelsFolder(settings), showProgress())
    console.log(json ? JSON.stringify(pulled) : `${pulled.repo} at ${pulled.commit} is in ${pulled.folder}`)
  },
})
