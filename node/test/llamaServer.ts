import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { text } from 'node:stream/consumers'
import { fetchWheel } from '../../scripts/experiment/fetchWheel.ts'

/** llama.cpp's own server, built for any CPU (MIT): https://github.com/xorbitsai/xllamacpp. */
const PACKAGE = 'xllamacpp==2026.10.11549'

/** Serves until its input ends. A port of 0 is a free one. */
const PROGRAM = `
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_parallel = 4
params.n_ctx = 4 * 2048
params.hostnames = ['127.0.0.1']
params.port = 0
params.verbosity = 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
`

/**
 * llama.cpp's server on a free port of loopback, from a package that pip fetches once.
 *
 * @param model - a GGUF file.
 * @param folder - where the package is kept.
 * @returns url - as `--generate` takes it.
 * @throws {Error} with what to install, or with what it said, if it does not start.
 */
export async function startLlamaServer(model: string, folder: string) {
  const wheel = join(folder, PACKAGE)
  await fetchWheel(PACKAGE, wheel)
  const env = { ...process.env, PYTHONPATH: wheel }
  const server = spawn('python3', ['-c', PROGRAM, model], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  const closed = once(server, 'close')
  const said = text(server.stderr)
  const lines = createInterface({ input: server.stdout })
  const address = new Promise<string>(resolve => lines.on('line', line => line.startsWith('http://') && resolve(line)))
  const failed = closed.then(async ([code]) => {
    throw new Error(`${PACKAGE} ended with ${code}; it needs python3 of 3.10 or newer on x64 or arm64. ${await said}`)
  })
  failed.catch(() => {}) // it also ends when it is closed
  return {
    url: `${await Promise.race([address, failed])}/v1`,
    async close() {
      server.stdin.end()
      await closed
    },
  }
}
