import { type ChildProcess, spawn } from 'node:child_process'
import { anvilBinary } from '../../scripts/base/anvil.ts'

/** A chain of the test's own, on a free port. */
export interface Anvil {
  readonly url: string
  rpc<T = unknown>(method: string, ...params: unknown[]): Promise<T>
  stop(): Promise<void>
}

/** Starts a chain. Without `--block-time` in `flags`, each transaction is mined at once. */
export async function startAnvil(chainId: number, ...flags: string[]): Promise<Anvil> {
  const child = spawn(anvilBinary(), ['--chain-id', `${chainId}`, '--port', '0', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await listeningUrl(child)
  return {
    url,
    async rpc<T>(method: string, ...params: unknown[]): Promise<T> {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      return ((await response.json()) as { result: T }).result
    },
    stop: () =>
      new Promise(resolve => {
        child.once('exit', () => resolve())
        child.kill('SIGKILL')
      }),
  }
}

function listeningUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout?.on('data', chunk => {
      output += chunk
      const address = /Listening on (\S+)\n/.exec(output)?.[1]
      if (address) resolve(`http://${address}`)
    })
    child.once('error', reject)
    child.once('exit', code => reject(new Error(`anvil ended with ${code}: ${output}`)))
  })
}
