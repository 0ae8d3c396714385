import { execFile } from 'node:child_process'
import { chmod, chown, cp, mkdir, stat } from 'node:fs/promises'
import { basename, dirname, join, posix, relative } from 'node:path'
import { promisify } from 'node:util'
import type { Instruction } from './readDockerfile.ts'

/** The container's user: `nobody`, if this process may switch to it. */
const NOBODY = 65_534
/** Instructions that change no file. */
const DECLARATIONS = ['VOLUME', 'EXPOSE', 'HEALTHCHECK']

interface Surroundings {
  root: string
  context: string
  isLeftOut: (path: string) => boolean
  say: (line: string) => void
}

/** Entry point, command and user of an image. */
export interface Executed {
  /** Runs the entry point with arguments, as the image's user. @returns exit code and output. */
  enter: (argv: readonly string[]) => Promise<{ code: number; stdout: string; stderr: string }>
  command: string[]
  /** The user to run as; null if this process cannot switch users. */
  uid: number | null
}

/**
 * Executes the steps of an image in a folder that stands for its root: paths of the image lie below it, and its commands find them there. What
 * a container has beyond that, its own view of the kernel and Debian's packages, it does not have.
 *
 * @param root - an empty folder.
 * @param context - what `COPY` takes files from.
 * @param isLeftOut - of a path in the context, whether its `.dockerignore` keeps it from the image.
 */
export async function executeImage(
  instructions: readonly Instruction[],
  { root, context, isLeftOut, say }: Surroundings,
): Promise<Executed> {
  const at = (path: string) => join(root, posix.resolve(folder, path))
  const canDrop = process.getuid?.() === 0
  const env: Record<string, string> = {
    ...Object.fromEntries(Object.entries(process.env).filter((pair): pair is [string, string] => isNetwork(pair[0]))),
    ...{ PATH: `${dirname(process.execPath)}:${process.env.PATH}`, npm_config_update_notifier: 'false' },
  }
  const become = async (user: string) => {
    uid = canDrop && user !== 'root' ? NOBODY : null
    env.HOME = join(root, user === 'root' ? 'root' : `home/${user}`)
    // Npm's cache is the image's own: the step that empties it must not empty this machine's.
    env.npm_config_cache = join(env.HOME, '.npm')
    await mkdir(env.HOME, { recursive: true })
    if (uid !== null) await chown(env.HOME, uid, uid)
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
  await become('root')
  // The image's user enters it, too.
  await chmod(root, 0o755)
  for (const { name, text, words } of instructions) {
    say(`${name} ${text}`)
    if (name === 'WORKDIR') {
      folder = posix.resolve(folder, text)
      await mkdir(at('.'), { recursive: true })
    } else if (name === 'COPY') {
      const words = text.split(/\s+/)
      const isGivenAway = text.startsWith('--chown=')
      const copied = await copy(isGivenAway ? words.slice(1) : words, { context, at, isLeftOut })
      if (isGivenAway && canDrop) for (const path of copied) await chown(path, NOBODY, NOBODY)
    } else if (name === 'ENV') for (const [key, value] of assignments(text)) env[key] = inRoot(value, root)
    else if (name === 'RUN') await run(['/bin/sh', '-euc', inRoot(text, root)])
    else if (name === 'USER') await become(text)
    else if (name === 'ENTRYPOINT') entry = required(words, name)
    else if (name === 'CMD') command = required(words, name)
    else if (!DECLARATIONS.includes(name)) throw new Error(`unknown instruction ${name}`)
  }
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

/** Build arguments for registry access: proxies, and custom certificate authorities. */
function isNetwork(variable: string): boolean {
  return /^(https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_file|npm_config_(cafile|registry))$/i.test(variable)
}

/** Absolute paths of our image in a command line, and its user, as they are here. */
function inRoot(text: string, root: string): string {
  return text.replace(/(^|[\s'"=])(\/(?:waggle|data)\b)/g, `$1${root}$2`).replaceAll('node:node', `${NOBODY}:${NOBODY}`)
}

type Copying = { context: string; at: (path: string) => string; isLeftOut: (path: string) => boolean }

/** @returns what it wrote. */
async function copy(words: readonly string[], { context, at, isLeftOut }: Copying): Promise<string[]> {
  const target = words.at(-1) ?? ''
  const written: string[] = []
  for (const source of words.slice(0, -1)) {
    const from = join(context, source)
    const isFolder = (await stat(from)).isDirectory()
    const to = !isFolder && /\/$|^\.$/.test(target) ? join(at(target), basename(source)) : at(target)
    await mkdir(dirname(to), { recursive: true })
    const filter = (path: string, copied: string) => {
      const isKept = !isLeftOut(relative(context, path))
      if (isKept && path !== context) written.push(copied)
      return isKept
    }
    await cp(from, to, { recursive: true, force: true, filter })
  }
  return written
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
