/** A word as a person types it in a shell: quoted if it needs to be. For commands that are printed. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
