/** This browser's own storage for the site. One that keeps nothing, because it is full or its reader forbids it, reads null and forgets. */
export const browserStore = {
  getItem(key: string): string | null {
    try {
      return localStorage.getItem(key)
    } catch {
      return null
    }
  },
  setItem(key: string, text: string): void {
    try {
      localStorage.setItem(key, text)
    } catch {}
  },
  removeItem(key: string): void {
    try {
      localStorage.removeItem(key)
    } catch {}
  },
}
