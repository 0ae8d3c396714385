/** A part of a path without its percent encoding; null if that is malformed, or holds a null character, which no database takes. */
export function decodePath(part: string): string | null {
  try {
    const text = decodeURIComponent(part)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}
