/** An untrusted text with control characters (except tabs and line ends) and bidirectional marks made visible. */
export function visibleText(text: string): string {
  return text.replace(/(?![\t\n\r])\p{Cc}|\p{Bidi_Control}/gu, '\ufffd')
}
