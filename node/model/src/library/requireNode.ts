/** Oldest Node that the package runs on, as major and minor. */
const OLDEST = [22, 18] as const

/**
 * Refuses a Node that is too old before anything else of the package runs, which would fail there without a reason.
 *
 * @param version - as in `process.versions.node`.
 */
export function requireNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return
  throw new Error(
    `@waggle/model needs Node ${OLDEST.join('.')} or newer, and this is Node ${version}. A checkout of Waggle brings one: node_modules/.bin/node.`,
  )
}

requireNode(process.versions.node)
