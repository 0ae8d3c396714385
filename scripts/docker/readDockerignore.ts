/**
 * Reads a `.dockerignore`, as far as ours uses the language: comments, exceptions (`!`), `*` in names, and `**` with a slash in front for
 * any depth. As in Docker the last line that fits a path, or a folder above it, decides.
 *
 * @returns whether a path of the context, with `/` between names, is left out of an image.
 */
export function readDockerignore(text: string): (path: string) => boolean {
  const rules = text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => ({ isLeftOut: !line.startsWith('!'), pattern: patternOf(line.replace(/^!/, '')) }))
  // The context itself is not a file.
  return path => path !== '' && (rules.findLast(({ pattern }) => pattern.test(path))?.isLeftOut ?? false)
}

function patternOf(glob: string): RegExp {
  const anywhere = glob.startsWith('**/')
  const names = (anywhere ? glob.slice(3) : glob).replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*')
  return new RegExp(`^${anywhere ? '(?:.*/)?' : ''}${names}(/|$)`)
}
