import type { Command, Verb } from '../command.ts'
import { completionFor, shellNames } from '../completion.ts'

/** Prints the script by which a shell completes commands and their options. */
export const completionOf = (verbs: Readonly<Record<string, Verb>>): Command => ({
  usage: `npx waggle completion SHELL

Prints a script with which SHELL (${shellNames.join(', ')}) completes commands and their options. For bash:

  eval "$(npx waggle completion bash)"; alias waggle='npx waggle'`,
  options: {},
  positionals: ['SHELL'],
  run: async (_, [shell = '']) => console.log(await completionFor(shell, verbs)),
})
