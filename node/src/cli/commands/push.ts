import { z } from 'zod'
import { pushModel } from '#hub/pushModel.ts'
import { defineCommand } from '../defineCommand.ts'
import { hubSettings } from '../options/commonSettings.ts'
import { openHub } from '../options/modelOptions.ts'
import { flag, jsonOption, textOption } from '../options/optionKinds.ts'

const own = {
  base: textOption('OWNER/NAME', "the base model, for the card, and for PEFT to find an adapter's base"),
  private: flag('make a new repository private'),
  summary: z
    .string()
    .default('Trained with Waggle')
    .meta({ value: 'TEXT', description: "first line of the commit's message" }),
  ...hubSettings,
  ...jsonOption,
}

/** Publishes a model or an adapter. */
export const push = defineCommand({
  usage: 'npx waggle push DIR OWNER/NAME [--base OWNER/NAME] [--private] [--summary TEXT] [--json]',
  about:
    'Publishes the model or the adapter in DIR as one commit, and creates the repository if it does not exist. A solver keeps its model in the folder policy of its data folder. A model card is written unless DIR has a README.md.',
  own,
  positionals: ['DIR', 'OWNER/NAME'],
  async run({ base, private: isPrivate, summary, json, hub }, [folder = '', repo = '']) {
    const pushed = await pushModel(openHub({ hub }), folder, { repo, isPrivate, summary, baseModel: base ?? null })
    console.log(json ? JSON.stringify(pushed) : `${pushed.files.length} files are at ${pushed.url}`)
  },
})
