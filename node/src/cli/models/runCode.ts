import type { RunCode } from '#environments/environmentKind.ts'

/** Runs code in a sandbox that is opened for it. */
export const runCode: RunCode = async cases => {
  const { createSandbox } = await import('#sandbox/createSandbox.ts')
  const sandbox = createSandbox()
  return sandbox.evaluate(cases).finally(sandbox.close)
}
