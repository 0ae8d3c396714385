import type { Verb } from './command.ts'
import { unknownWord } from './nearest.ts'

type Words = { name: string; summary: string; options: readonly string[] }

/** A script by which a shell completes commands and their options. @throws {UsageError} for an unknown shell. */
export async function completionFor(shell: string, verbs: Readonly<Record<string, Verb>>): Promise<string> {
  const write = Object.hasOwn(shells, shell) ? shells[shell as keyof typeof shells] : undefined
  if (write === undefined) throw unknownWord('shell', shell, shellNames)
  const commands = await Promise.all(
    Object.entries(verbs).map(async ([name, { summary, load }]) => {
      const { options } = await load()
      return { name, summary, options: [...Object.keys(options), 'help'] }
    }),
  )
  return write(commands)
}

const shells = { bash: forBash, zsh: forZsh, fish: forFish }

export const shellNames = Object.keys(shells)

function forBash(commands: readonly Words[]): string {
  const cases = commands.map(({ name, options }) => `    ${name}) words='${options.map(dashed).join(' ')}' ;;`)
  return `_waggle() {
  local words
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words= ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words='${commands.map(({ name }) => name).join(' ')} help'; fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _waggle waggle`
}

function forZsh(commands: readonly Words[]): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${forBash(commands)}`
}

function forFish(commands: readonly Words[]): string {
  return commands
    .flatMap(({ name, summary, options }) => [
      `complete -c waggle -n __fish_use_subcommand -a ${name} -d '${summary.replaceAll("'", "\\'")}'`,
      ...options.map(option => `complete -c waggle -n '__fish_seen_subcommand_from ${name}' -l ${option}`),
    ])
    .join('\n')
}

function dashed(option: string): string {
  return `--${option}`
}
