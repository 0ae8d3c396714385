/** A fenced block of Markdown. `tag`: in lower case; empty if there is none. */
export type FencedBlock = { readonly tag: string; readonly code: string }

const pythonTags: ReadonlySet<string> = new Set(['', 'python', 'python3', 'py'])

/** Whether a block is tagged as Python, or not at all. */
export const mayBePython = ({ tag }: FencedBlock): boolean => pythonTags.has(tag)

/**
 * The fenced blocks of a text, in order. A block needs its closing fence: the next that is alone on its line, so that three backticks in a string of
 * its code do not end it; if none is, the next of all. Three backticks within a line of prose, around a name, do not open a block.
 *
 * @param options.cut - the text may end within a block: what it holds of it is a block, too.
 */
export function fencedBlocks(text: string, { cut = false }: { cut?: boolean } = {}): FencedBlock[] {
  const whole = text.replaceAll('\r\n', '\n')
  const fences = fencesIn(whole)
  const lastAlone = fences.findLastIndex(({ isAlone }) => isAlone)
  if (cut) fences.push({ from: whole.length, to: whole.length, isAlone: false })
  const blocks: FencedBlock[] = []
  for (let at = 0; at < fences.length - 1; at++) {
    const [open, next] = fences.slice(at, at + 2) as [Fence, Fence]
    const tag = tagAfter(whole, open.to)
    const lineEnd = whole.indexOf('\n', open.to)
    if (tag === null) {
      if (next.from < lineEnd || lineEnd < 0) at++
      continue
    }
    at++
    while (at < lastAlone && !fences[at]?.isAlone) at++
    const close = fences[at] as Fence
    blocks.push({ tag: tag.toLowerCase(), code: unindented(whole, open.from, lineEnd + 1, close.from) })
  }
  return blocks
}

type Fence = { readonly from: number; readonly to: number; readonly isAlone: boolean }

function fencesIn(text: string): Fence[] {
  return [...text.matchAll(/^[ \t]*(`{3,})(?=[ \t]*$)|`{3,}/gm)].map(({ 0: found, 1: alone, index }) => ({
    from: index + found.indexOf('`'),
    to: index + found.length,
    isAlone: alone !== undefined,
  }))
}

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
