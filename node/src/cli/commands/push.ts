import { pushModel } from '#hub/pushModel.ts'
import type { Command } from '../command.ts'
import { hubOptions, hubUsage, openHub } from '../options/modelOptions.ts'

/** Publishes a model or an adapter. */
export const push: Command = {
  usage: `npx waggle push DIR OWNER/NAME [--base OWNER/NAME] [--private] [--summary TEXT] [--json]

Publishes the model or the adapter in DIR as one commit, and creates the repository if it does not exist. A solver keeps its model
in the folder policy of its data folder. A model card is written unless DIR has a README.md.

  --base OWNER/NAME   the base model, for the card, and for PEFT to find an adapter's base
  --private           make a new repository private
  --summary TEXT      first line of the commit's message
${hubUsage}
  --json              print one JSON object on the last line`,
  options: {
    ...hubOptions,
    base: { type: 'string' },
    private: { type: 'boolean' },
    summary: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: ['DIR', 'OWNER/NAME'],
  async run({ base, private: isPrivate, summary, json, hub }, [folder = '', repo = '']) {
    const pushed = await pushModel(openHub({ hub: hub as string | undefined }), folder, {
      repo,
      isPrivate: isPrivate === true,
      summary: typeof summary === 'string' ? summary : 'Trained with Waggle',
      baseModel: typeof base === 'string' ? base : null,
    })
    console.log(json === true ? JSON.stringify(pushed) : `${pushed.files.length} files are at ${pushed.url}`)
  },
}
