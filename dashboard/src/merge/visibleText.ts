/** Invisible characters that emoji are joined with. */
const joiner = /(?<=\p{ExtPict})\ufe0f|(?<=\p{ExtPict}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{ExtPict})/u

/** Control characters except tabs and line ends, separators that some readers break lines at, and characters that show nothing. */
const hidden = new RegExp(
  `(?![\\t\\n\\r])\\p{Cc}|[\\u2028\\u2029]|(?!${joiner.source})\\p{Default_Ignorable_Code_Point}`,
  'gu',
)

/** An untrusted text with its control characters, bidirectional marks and invisible characters made visible. */
export function visibleText(text: string): string {
  return text.replace(hidden, '\ufffd')
}
