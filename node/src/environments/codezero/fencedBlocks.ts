/** No honest answer has more. Each is parsed, so that their number is bounded. */
const MAX_BLOCKS = 16
/** Of several blocks together: parsing them costs no more than one of the longest that is read. */
const MAX_CHARACTERS = 20_000

const pythonTags: ReadonlySet<string> = new Set(['', 'python', 'python3', 'py'])

/**
 * The code of the fenced blocks of a text that may be Python, in order: tagged as Python, or without a tag. A block without its closing fence is none,
 * and three backticks within a line of prose, around a name, open none.
 *
 * @returns none if there are more than anybody has to read.
 */
export function fencedBlocks(text: string): string[] {
  const whole = text.replaceAll('\r\n', '\n')
  const fences = [...whole.matchAll(/`{3,}/g)].map(({ 0: { length }, index }) => ({ from: index, to: index + length }))
  const blocks: string[] = []
  for (let at = 0; at < fences.length - 1; at++) {
    const [open, close] = fences.slice(at, at + 2) as [Fence, Fence]
    const tag = tagAfter(whole, open.to)
    const lineEnd = whole.indexOf('\n', open.to)
    if (tag !== null) {
      if (pythonTags.has(tag.toLowerCase())) blocks.push(unindented(whole, open.from, lineEnd + 1, close.from))
      at++
    } else if (close.from < lineEnd || lineEnd < 0) at++
  }
  const characters = blocks.reduce((sum, { length }) => sum + length, 0)
  const isTooMuch = blocks.length > MAX_BLOCKS || (blocks.length > 1 && characters > MAX_CHARACTERS)
  return isTooMuch ? [] : blocks
}

type Fence = { from: number; to: number }

/** Longer ones are not tags. */
const MAX_TAG_CHARACTERS = 40

/** The tag of an opening fence, the empty one included; null if more than a tag follows on its line. */
function tagAfter(text: string, at: number): string | null {
  const [, tag] = /^[ \t]*((?:[\w+#-]|\.\w)*)[ \t]*\n/.exec(text.slice(at, at + MAX_TAG_CHARACTERS)) ?? []
  return tag ?? null
}

/** A block in a list is indented as a whole, and its lines by as much as its fence. */
function unindented(text: string, fence: number, from: number, to: number): string {
  const before = text.slice(text.lastIndexOf('\n', fence - 1) + 1, fence)
  const code = text.slice(from, to)
  return before !== '' && /^ +$/.test(before) ? code.replaceAll(new RegExp(`^ {1,${before.length}}`, 'gm'), '') : code
}
