import { pullModel } from '#hub/pullModel.ts'
import { parseRepoReference } from '#hub/repoReference.ts'
import type { Command } from '../command.ts'
import { hubOptions, hubUsage, modelsFolder, openHub, showProgress } from '../options/modelOptions.ts'
import { untilInterrupted } from '../untilInterrupted.ts'

/** Downloads a model. */
export const pull: Command = {
  usage: `npx waggle pull OWNER/NAME[@REVISION] [--models DIR] [--json]

An interrupted download resumes; every file is checked against the hub's checksum.

${hubUsage}
  --json              print one JSON object on the last line`,
  options: { ...hubOptions, json: { type: 'boolean' } },
  positionals: ['OWNER/NAME[@REVISION]'],
  async run({ json, models, hub }, [name = '']) {
    const settings = { models: models as string | undefined, hub: hub as string | undefined }
    const client = openHub(settings, untilInterrupted())
    const pulled = await pullModel(client, parseRepoReference(name), modelsFolder(settings), showProgress())
    console.log(json === true ? JSON.stringify(pulled) : `${pulled.repo} at ${pulled.commit} is in ${pulled.folder}`)
  },
}
