import { visibleText } from '#merge/visibleText.ts'

/** A clue as its Judge wrote it, line by line, with control characters visible. */
export function Clue({ text }: { text: string }) {
  return <pre className="figures text-sm whitespace-pre-wrap break-words">{visibleText(text)}</pre>
}
