import { createServer } from 'node:net'

/**
 * Ponder would silently take the next free port.
 *
 * @throws {Error} if the port cannot be listened on.
 */
export async function requirePort(port: number, host: string): Promise<void> {
  const server = createServer()
  const listening = new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  try {
    await listening
  } catch (cause) {
    throw new Error(`cannot listen on ${host}:${port}: choose another port with --port`, { cause })
  }
  await new Promise(resolve => server.close(resolve))
}
