import { lineOf, type Texts } from './readTexts.ts'

/** A command's help text and parser options. */
export type CommandWords = { usage: string; options: readonly string[] }

/** Documents about the past. */
const HISTORY = /^CHANGELOG\.md$|^docs\/log\//

const OPTION = /(?<![\w-])--([a-z][a-z-]*)/g

/**
 * Finds unknown commands, options in --help or in a document that no command accepts, and accepted options that --help or all documents
 * omit.
 *
 * @param scripts - options of `npm run NAME`, whose --help is written from the same table.
 */
export function checkOptions(
  documents: Texts,
  commands: ReadonlyMap<string, CommandWords>,
  scripts: ReadonlyMap<string, readonly string[]>,
): string[] {
  const written = new Set([...documents.values()].flatMap(optionsIn))
  return [
    ...[...commands].flatMap(([name, command]) => wrongHelp(name, command, { commands, written })),
    ...[...documents]
      .filter(([path]) => !HISTORY.test(path))
      .flatMap(([path, text]) => [
        ...unknownCommands(path, text, commands),
        ...unknownOptions(path, text, /\bwaggle (?<name>[a-z]+)(?<rest>(?:\\\n|[^\n`|#&])*)/g, name =>
          commands.get(name)?.options.concat('help'),
        ),
        ...unknownOptions(path, text, /\bnpm run (?<name>[a-z:]+) -- (?<rest>(?:\\\n|[^\n`|#&])*)/g, name =>
          scripts.get(name),
        ),
      ]),
  ]
}

function wrongHelp(
  name: string,
  { usage, options }: CommandWords,
  { commands, written }: { commands: ReadonlyMap<string, CommandWords>; written: ReadonlySet<string> },
): string[] {
  // Its own lines: calls of it, and the list of its options. A sentence may name those of another command.
  const own = usage.split('\n').filter(line => line.startsWith('  --') || line.startsWith(`npx waggle ${name} `))
  const elsewhere = [...usage.matchAll(/npx waggle (\w+) --help/g)].flatMap(
    ([, to = '']) => commands.get(to)?.options ?? [],
  )
  const named = new Set([...optionsIn(usage), ...elsewhere])
  return [
    ...optionsIn(own.map(nameOf).join('\n'))
      .filter(option => !options.includes(option))
      .map(option => `npx waggle ${name} --help: --${option} does not exist`),
    ...options.filter(option => !named.has(option)).map(option => `npx waggle ${name} --help: --${option} is missing`),
    ...options.filter(option => !written.has(option)).map(option => `npx waggle ${name} --${option}: in no document`),
  ]
}

/** The part of a line before its text, which may name options of other programs. */
function nameOf(line: string): string {
  return line.startsWith('  --') ? line.trimStart().split(/ {2,}/, 1).join() : line
}

function unknownCommands(path: string, text: string, commands: ReadonlyMap<string, CommandWords>): string[] {
  return [...text.matchAll(/\bnpx waggle ([a-z]+)\b/g)]
    .filter(([, name = '']) => name !== 'help' && !commands.has(name))
    .map(({ 1: name, index }) => `${path}:${lineOf(text, index)}: there is no command ${name}`)
}

function unknownOptions(
  path: string,
  text: string,
  calls: RegExp,
  known: (name: string) => readonly string[] | undefined,
): string[] {
  return [...text.matchAll(calls)].flatMap(({ groups: { name = '', rest = '' } = {}, index }) => {
    const options = known(name)
    if (options === undefined) return []
    return [...new Set(optionsIn(rest))]
      .filter(option => !options.includes(option))
      .map(option => `${path}:${lineOf(text, index)}: ${name} takes no --${option}`)
  })
}

function optionsIn(text: string): string[] {
  return [...text.matchAll(OPTION)].map(([, name = '']) => name)
}
