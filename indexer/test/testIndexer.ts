import { type ChildProcess, spawn } from 'node:child_process'
import { join, relative } from 'node:path'
import { freePort } from '../../scripts/base/freePorts.ts'
import { type TestChain, until } from './testChain.ts'

const root = join(import.meta.dirname, '../..')

/** As in README.md: Node's own choice on a large machine keeps 300 MB of garbage. */
const heap = ['--max-semi-space-size=8', '--max-old-space-size=384']

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

interface Introspection {
  types: { name: string; fields: { name: string; type: TypeRef }[] | null }[]
}

interface TypeRef {
  kind: string
  name: string | null
  ofType?: TypeRef
}

/** The indexer as the swarm starts it: its own process. */
export class TestIndexer {
  static readonly #started: TestIndexer[] = []

  readonly url: string
  readonly process: ChildProcess
  /** Everything that it printed. */
  log = ''

  private constructor(port: number, process: ChildProcess) {
    this.url = `http://127.0.0.1:${port}`
    this.process = process
    const keep = (chunk: Buffer) => {
      this.log += chunk.toString()
    }
    process.stdout?.on('data', keep)
    process.stderr?.on('data', keep)
  }

  static async spawn(
    chain: { recordPath: string; url: string; databaseUrl?: string | undefined },
    folder: string,
    at?: number,
  ): Promise<TestIndexer> {
    const port = at ?? (await freePort())
    const child = spawn(
      process.execPath,
      [...heap, 'indexer/start.ts', '--port', String(port), '--host', '127.0.0.1'],
      {
        cwd: root,
        env: {
          PATH: process.env.PATH,
          WAGGLE_DEPLOYMENT: relative(root, chain.recordPath),
          WAGGLE_RPC_URL: chain.url,
          WAGGLE_INDEX: relative(root, folder),
          ...(chain.databaseUrl === undefined ? {} : { DATABASE_URL: chain.databaseUrl }),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    const indexer = new TestIndexer(port, child)
    TestIndexer.#started.push(indexer)
    return indexer
  }

  /** Ends every indexer that this file's tests started. */
  static async endAll(): Promise<void> {
    await Promise.all(TestIndexer.#started.map(indexer => indexer.end()))
  }

  /** Its output, except for remarks that a chain is slow: it mines only on demand, and a busy machine's answers are late. */
  get complaints(): string[] {
    const entries = this.log.split(/\n(?=\d\d:\d\d:\d\d\.\d{3} |index: )|\n$/)
    const slow = /No new block received|TimeoutError: The request took too long/
    return entries
      .filter(entry => entry !== '' && !slow.test(entry))
      .flatMap(entry => entry.split('\n').filter(Boolean))
  }

  /** Spawns it and waits until it has the chain's tip. */
  static async start(chain: TestChain, folder: string): Promise<TestIndexer> {
    const indexer = await TestIndexer.spawn(chain, folder)
    await indexer.reachTip(chain)
    return indexer
  }

  async reachTip(chain: Pick<TestChain, 'blockNumber'>): Promise<void> {
    const tip = await chain.blockNumber()
    try {
      await until(async () => {
        if (this.process.exitCode !== null) return true
        const status = (await (await fetch(`${this.url}/status`)).json()) as { swarm?: { block: { number: number } } }
        return (status.swarm?.block.number ?? -1) >= tip
      })
      if (this.process.exitCode !== null) throw new Error(`it exited with ${this.process.exitCode}`)
    } catch (cause) {
      throw new Error(`the indexer did not reach block ${tip}; it printed:\n${this.log}`, { cause })
    }
  }

  async query<T = Record<string, Json>>(query: string): Promise<T> {
    const response = await fetch(`${this.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    })
    const { data, errors } = (await response.json()) as { data: T; errors?: unknown }
    if (errors !== undefined) throw new Error(JSON.stringify(errors))
    return data
  }

  /** Every row of every table and view, by GraphQL, without those of views that are asked for by round or key. */
  async dump(): Promise<Record<string, Json>> {
    const { __schema } = await this.query<{ __schema: Introspection }>(
      '{ __schema { types { name fields { name type { kind name ofType { kind name } } } } } }',
    )
    const fieldsOf = (type: string) => __schema.types.find(({ name }) => name === type)?.fields ?? []
    const tables = fieldsOf('Query').flatMap(({ name, type }) => {
      const row = type.ofType?.name?.match(/^(.*)Page$/)?.[1]
      if (row === undefined || ['vote', 'earning', 'purse', 'peerStanding'].includes(row)) return []
      const scalars = fieldsOf(row).filter(field =>
        ['SCALAR', 'ENUM', 'LIST'].includes(
          (field.type.kind === 'NON_NULL' ? field.type.ofType?.kind : field.type.kind) ?? '',
        ),
      )
      return [`${name}(limit: 1000) { items { ${scalars.map(field => field.name).join(' ')} } }`]
    })
    const dumped = await this.query<Record<string, { items: Json[] }>>(`{ ${tables.join(' ')} }`)
    // A view has no order of its own.
    for (const { items } of Object.values(dumped))
      items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
    return dumped
  }

  /** @returns the exit code, null if a signal ended it. */
  async exited(): Promise<number | null> {
    if (this.process.exitCode === null && this.process.signalCode === null)
      await new Promise(resolve => this.process.once('close', resolve))
    return this.process.exitCode
  }

  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    this.process.kill(signal)
    return this.exited()
  }
}
