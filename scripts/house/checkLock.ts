type Locked = { optionalDependencies?: Record<string, string> }

/**
 * The lock lists optional packages for every system, also those that npm left out because they are not for the system that it wrote the lock
 * on: it installs nothing that a lock does not list, and `npm ci` refuses such a lock.
 *
 * @param lock - the text of `package-lock.json`.
 */
export function checkLock(lock: string): string[] {
  const { packages } = JSON.parse(lock) as { packages: Record<string, Locked> }
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter(name => !isListed(packages, path, name))
      .map(name => `package-lock.json: ${name}, which ${path} needs on another system, is not listed`),
  )
}

/** As Node finds a package: in the folder of who needs it, or in one above. */
function isListed(packages: Record<string, Locked>, path: string, name: string): boolean {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    if (Object.hasOwn(packages, `${at === '' ? '' : `${at}/`}node_modules/${name}`)) return true
    if (at === '') return false
  }
}
