/** A part of a path without its percent encoding; null if that is malformed. */
export function decodePath(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}
