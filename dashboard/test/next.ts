import { type ChildProcess, spawn } from 'node:child_process'

/** Apart from the build of a running dashboard. Tests of a whole swarm use it too. */
export const TEST_BUILD = 'test/.next'

/** Next's command; it never outlives the tests. */
export function next(argv: string[], env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, argv, { env: { ...process.env, ...env } as NodeJS.ProcessEnv })
  const kill = () => child.kill()
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  return child
}

/** Collects what a child prints, and resolves once it has printed `wanted` (null: once it has ended well). */
export function printed(child: ChildProcess, wanted: RegExp | null): Promise<RegExpExecArray | null> {
  return new Promise((resolve, reject) => {
    let output = ''
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      const match = wanted?.exec(output)
      if (match) resolve(match)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.on('error', reject)
    child.on('exit', code =>
      wanted === null && code === 0 ? resolve(null) : reject(new Error(`next ended: ${output}`)),
    )
  })
}
