import { join } from 'node:path'
import type { Managed, Supervisor } from './processes/supervisor.ts'
import { answers, waitFor } from './waitFor.ts'

/** Heap limit of Ponder and PGlite: without it they take twice as much without any benefit. */
const HEAP = ['--max-semi-space-size=8', '--max-old-space-size=384']

const entry = join(import.meta.dirname, '..', '..', 'indexer', 'start.ts')

interface IndexerSettings {
  port: number
  data: string
  env: Record<string, string>
}

export async function startIndexer(
  supervisor: Supervisor,
  { port, data, env }: IndexerSettings,
  onExit: (status: number | string) => void,
  signal: AbortSignal,
): Promise<Managed> {
  const argv = [...HEAP, entry, '--port', String(port), '--host', '127.0.0.1']
  const spec = { name: 'indexer', command: process.execPath, argv, env: { ...env, WAGGLE_INDEX: join(data, 'index') } }
  const managed = await supervisor.start(spec, onExit)
  await waitFor(managed, () => answers(`http://127.0.0.1:${port}/status`), 600_000, signal)
  return managed
}
