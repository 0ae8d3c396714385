import type { Command, Verb } from '../command.ts'
import { unknownWord } from '../nearest.ts'

/** Prints the script by which a shell completes commands and their options. */
export const completionOf = (verbs: Readonly<Record<string, Verb>>): Command => ({
  help: [
    { calls: 'npx waggle completion SHELL' },
    `Prints a script with which SHELL (${shellNames.join(', ')}) completes commands and their options. For bash:`,
    `  eval "$(npx waggle completion bash)"; alias waggle='npx waggle'`,
  ],
  options: {},
  positionals: ['SHELL'],
  run: async (_, [shell = '']) => console.log(await completionFor(shell, verbs)),
})

type Words = { name: string; summary: string; actions: readonly string[]; options: readonly string[] }

/** A script by which a shell completes commands, the actions of nouns, and options. @throws {UsageError} for an unknown shell. */
export async function completionFor(shell: string, verbs: Readonly<Record<string, Verb>>): Promise<string> {
  const write = Object.hasOwn(shells, shell) ? shells[shell as keyof typeof shells] : undefined
  if (write === undefined) throw unknownWord('shell', shell, shellNames)
  const commands = await Promise.all(
    Object.entries(verbs).map(async ([name, { summary, load }]) => {
      const { options, actions = [] } = await load()
      return { name, summary, actions: actions.map(action => action.name), options: [...Object.keys(options), 'help'] }
    }),
  )
  return write(commands)
}

const shells = { bash: forBash, zsh: forZsh, fish: forFish }

const shellNames = Object.keys(shells)

function forBash(commands: readonly Words[]): string {
  const cases = commands.map(
    ({ name, actions, options }) =>
      `    ${name}) actions='${actions.join(' ')}'; words='${options.map(dashed).join(' ')}' ;;`,
  )
  return `_waggle() {
  local actions= words
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words= ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words='${commands.map(({ name }) => name).join(' ')} help'; fi
  if [ "$COMP_CWORD" -eq 2 ]; then words="$actions $words"; fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _waggle waggle`
}

function forZsh(commands: readonly Words[]): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${forBash(commands)}`
}

function forFish(commands: readonly Words[]): string {
  return commands
    .flatMap(({ name, summary, actions, options }) => [
      `complete -c waggle -n __fish_use_subcommand -a ${name} -d '${summary.replaceAll("'", "\\'")}'`,
      ...actions.map(action => `complete -c waggle -n '__fish_seen_subcommand_from ${name}' -a ${action}`),
      ...options.map(option => `complete -c waggle -n '__fish_seen_subcommand_from ${name}' -l ${option}`),
    ])
    .join('\n')
}

function dashed(option: string): string {
  return `--${option}`
}
