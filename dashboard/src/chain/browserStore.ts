/** This browser's storage for the site. If it is full or forbidden, reads return null and writes are dropped. */
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
