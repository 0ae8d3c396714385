import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const main = join(import.meta.dirname, '../src/cli/main.ts')

/** Output of a terminal that is not shown: colours and moves of the cursor. */
const CONTROL = new RegExp(`${String.fromCharCode(27)}\\[[\\d;?]*[A-Za-z]`, 'g')

/** A command line in its own terminal, by `script` of util-linux or macOS. */
export function startInTerminal(argv: readonly string[]) {
  const command = [process.execPath, main, ...argv]
  const quoted = command.map(word => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  const asked = process.platform === 'darwin' ? ['-q', '/dev/null', ...command] : ['-qec', quoted, '/dev/null']
  const child = spawn('script', asked, { stdio: ['pipe', 'pipe', 'inherit'] })
  let shown = ''
  let read = 0
  child.stdout.on('data', chunk => {
    shown += chunk
  })
  const exited = once(child, 'close').then(([code]) => code as number)
  const plain = () => shown.replace(CONTROL, '').replaceAll('\r', '')
  /** The next match in its output after the last one, once it is there. @throws if the command ends first. */
  async function shows(wanted: RegExp): Promise<string> {
    const ended = exited.then(code => {
      throw new Error(`ended with ${code} before it showed ${wanted}: ${plain().slice(read)}`)
    })
    ended.catch(() => {})
    for (;;) {
      const found = wanted.exec(plain().slice(read))
      if (found) {
        read += found.index + found[0].length
        return found[0]
      }
      await Promise.race([once(child.stdout, 'data'), ended])
    }
  }
  return {
    shows,
    exited,
    type: (keys: string) => child.stdin.write(keys),
    shown: plain,
    /** Closes the terminal with its window: the command hears SIGHUP, and can write nothing more. */
    close: () => child.kill('SIGKILL'),
  }
}
