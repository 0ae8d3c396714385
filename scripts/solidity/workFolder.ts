import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { hardhatEffort, tryEffort } from './effort.ts'

const hardhatCli = join(createRequire(import.meta.url).resolve('hardhat/package.json'), '..', 'dist', 'src', 'cli.js')

/** They take two minutes of an idle machine. */
const TEST_TIMEOUT_MS = 1_200_000

type TestRun = { passed: boolean; output: string }

/** A copy of the contracts in which changes are tried, with few fuzz runs, so that the sources stay as they are. */
export function openWorkFolder(root: string, folder: string) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  cpSync(join(root, 'contracts'), join(folder, 'contracts'), {
    recursive: true,
    filter: path => !path.includes('node_modules'),
  })
  for (const name of ['node_modules', 'package.json']) symlinkSync(join(root, name), join(folder, name))
  writeFileSync(join(folder, 'hardhat.config.ts'), config(root))
  return {
    write: (file: string, source: string) => writeFileSync(join(folder, file), source),
    leaveOut: (file: string) => rmSync(join(folder, file)),
    read: (file: string) => readFileSync(join(folder, file), 'utf8'),
    test: (args: readonly string[]) => runTests(folder, args),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

export type WorkFolder = ReturnType<typeof openWorkFolder>

/** The project's own configuration, at fewer runs. */
function config(root: string): string {
  return `import base from ${JSON.stringify(join(root, 'hardhat.config.ts'))}
const solidity = ${JSON.stringify(hardhatEffort(tryEffort))}
export default { ...base, test: { solidity } }
`
}

function runTests(folder: string, args: readonly string[]): Promise<TestRun> {
  const child = spawn(process.execPath, [hardhatCli, 'test', 'solidity', ...args], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1', HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TEST_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk))
  return new Promise(resolve =>
    child.on('close', (code, signal) =>
      resolve({ passed: code === 0, output: signal === null ? output : `${output}\nended by ${signal}` }),
    ),
  )
}
