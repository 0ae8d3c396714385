/**
 * A text that anybody may have written, as the database can hold it.
 *
 * Postgres refuses the null character in a text: one in a game's details would stop the index for everybody.
 */
export function shownText(text: string): string {
  return text.replaceAll('\0', '\ufffd')
}
