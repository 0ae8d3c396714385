/** A stranger's text with what would turn or hide the text next to it made visible: control characters but for tabs and line ends, and directions. */
export function visibleText(text: string): string {
  return text.replace(/(?![\t\n\r])\p{Cc}|\p{Bidi_Control}/gu, '\ufffd')
}
