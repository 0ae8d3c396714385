import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, stat } from 'node:fs/promises'
import { basename, dirname, join, posix } from 'node:path'
import { promisify } from 'node:util'
import type { Instruction } from './readDockerfile.ts'

/** The user that a container drops to: nobody, where this process may become that. */
const NOBODY = 65_534
/** What neither makes nor changes a file. */
const DECLARATIONS = ['VOLUME', 'EXPOSE', 'HEALTHCHECK']

/** What an image runs, and where. */
export interface Executed {
  /** Runs the entry point with arguments, as the image's user. @returns exit code and output. */
  enter: (argv: readonly string[]) => Promise<{ code: number; stdout: string; stderr: string }>
  command: string[]
  /** Who runs it; null if this process cannot become another user. */
  uid: number | null
}

/**
 * Executes the steps of an image in a folder that stands for its root: paths of the image lie below it, and its commands find them there. What
 * a container has beyond that, its own view of the kernel and Debian's packages, it does not have.
 *
 * @param root - an empty folder.
 * @param context - what `COPY` takes files from.
 */
export async function executeImage(
  instructions: readonly Instruction[],
  { root, context, say }: { root: string; context: string; say: (line: string) => void },
): Promise<Executed> {
  const at = (path: string) => join(root, posix.resolve(folder, path))
  const canDrop = process.getuid?.() === 0
  // Npm's cache is the image's own: the step that empties it must not empty this machine's.
  const env: Record<string, string> = {
    ...Object.fromEntries(Object.entries(process.env).filter((pair): pair is [string, string] => isNetwork(pair[0]))),
    ...{ PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: root },
    ...{ npm_config_cache: join(root, '.npm'), npm_config_update_notifier: 'false' },
  }
  let folder = '/'
  let uid: number | null = null
  let entry: string[] = []
  let command: string[] = []
  const run = (argv: readonly string[]) => {
    const [program = '', ...rest] = argv
    const ids = uid === null ? {} : { uid, gid: uid }
    const options = { cwd: at('.'), env, maxBuffer: 1 << 26, ...ids }
    return promisify(execFile)(program, rest, options)
  }
  for (const { name, text, words } of instructions) {
    say(`${name} ${text}`)
    if (name === 'WORKDIR') {
      folder = posix.resolve(folder, text)
      await mkdir(at('.'), { recursive: true })
    } else if (name === 'COPY') await copy(text.split(/\s+/), context, at)
    else if (name === 'ENV') for (const [key, value] of assignments(text)) env[key] = value
    else if (name === 'RUN') await run(['/bin/sh', '-euc', inRoot(text, root)])
    else if (name === 'USER') uid = canDrop && text !== 'root' ? NOBODY : null
    else if (name === 'ENTRYPOINT') entry = required(words, name)
    else if (name === 'CMD') command = required(words, name)
    else if (!DECLARATIONS.includes(name)) throw new Error(`unknown instruction ${name}`)
  }
  await chmod(root, 0o755)
  const enter: Executed['enter'] = async argv => {
    const located = [...entry, ...argv].map(word => inRoot(word, root))
    try {
      return { code: 0, ...(await run(located)) }
    } catch (error) {
      const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string }
      if (typeof code !== 'number') throw error
      return { code, stdout, stderr }
    }
  }
  return { enter, command, uid }
}

/** How this machine reaches registries, as a build of Docker is told it: proxies, and authorities of its own. */
function isNetwork(variable: string): boolean {
  return /^(https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_file|npm_config_(cafile|registry))$/i.test(variable)
}

/** Absolute paths of our image in a command line, and its user, as they are here. */
function inRoot(text: string, root: string): string {
  return text.replace(/(^|[\s'"=])(\/(?:waggle|data)\b)/g, `$1${root}$2`).replaceAll('node:node', `${NOBODY}:${NOBODY}`)
}

async function copy(words: readonly string[], context: string, at: (path: string) => string): Promise<void> {
  const target = words.at(-1) ?? ''
  for (const source of words.slice(0, -1)) {
    const from = join(context, source)
    const isFolder = (await stat(from)).isDirectory()
    const to = !isFolder && /\/$|^\.$/.test(target) ? join(at(target), basename(source)) : at(target)
    await mkdir(dirname(to), { recursive: true })
    await cp(from, to, { recursive: true, force: true })
  }
}

function assignments(text: string): [string, string][] {
  return text.split(/\s+/).map(pair => {
    const [key = '', ...value] = pair.split('=')
    return [key, value.join('=')]
  })
}

function required(words: string[] | null, name: string): string[] {
  if (words === null)
    throw new Error(`${name} is not in the form of JSON: signals would reach a shell and not the peer`)
  return words
}
