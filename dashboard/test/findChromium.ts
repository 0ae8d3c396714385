import { existsSync } from 'node:fs'

/** The headless shell first: the whole browser has processes of its own for windows that nobody sees, and takes half as much time again. */
const places = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  name => `/usr/bin/${name}`,
)

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
