import { createSandbox, type Sandbox } from '../../../node/src/sandbox/createSandbox.ts'
import type { Settings } from '../settings.ts'
import type { WorkFolder } from '../workFolder.ts'

export type StageContext = {
  settings: Settings
  seed: number
  threads: number
  work: WorkFolder
  /** Folder for the models. */
  out: string
  say(line: string): void
  now(): number
}

/** One step of the pipeline: reads and writes the work folder, returns figures worth keeping. */
export type Stage = (context: StageContext) => Promise<Record<string, unknown>>

/** Runs with a sandbox that is closed at the end. */
export async function withSandbox<T>(use: (sandbox: Sandbox) => Promise<T>): Promise<T> {
  const sandbox = createSandbox()
  try {
    return await use(sandbox)
  } finally {
    await sandbox.close()
  }
}
