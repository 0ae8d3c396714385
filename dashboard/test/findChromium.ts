import { existsSync } from 'node:fs'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/**
 * Path of a Chromium of this machine, or null if there is none and none is called for.
 *
 * @throws {Error} if there is none where CI is set: there it must be installed.
 */
export function findChromium(): string | null {
  const found = [process.env.CHROMIUM_PATH, ...places].find(path => path !== undefined && existsSync(path))
  if (found !== undefined) return found
  if (process.env.CI) throw new Error('no Chromium: run "apt-get install chromium", or set CHROMIUM_PATH')
  return null
}
