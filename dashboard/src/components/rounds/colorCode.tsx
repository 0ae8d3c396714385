import python from 'highlight.js/lib/languages/python'
import { createLowlight } from 'lowlight'
import type { ReactNode } from 'react'

const lowlight = createLowlight({ python })

type Root = ReturnType<typeof lowlight.highlight>

/** Colours of the page by kind of token; of other kinds the text stays as it is. */
const tones: Record<string, string> = {
  'hljs-keyword': 'text-ultraviolet',
  'hljs-built_in': 'text-ultraviolet',
  'hljs-literal': 'text-ultraviolet',
  'hljs-string': 'text-leaf',
  'hljs-number': 'text-honey-ink',
  'hljs-comment': 'text-soft',
  'hljs-title': 'font-semibold',
}

/** A fenced block, whose end a model may have left out. */
const FENCED = /(```\w*\n)([\s\S]*?)(?:```|$)/g
const DEFINES = /^[ \t]*(?:def|class|import|from) /m

/** The Python code of a text as spans: its fenced blocks or, without any, the whole text if it defines or imports something. */
export function colorCode(text: string): ReactNode {
  const blocks = [...text.matchAll(FENCED)]
  if (blocks.length === 0) return DEFINES.test(text) ? spansOf(text) : text
  const parts: ReactNode[] = []
  let done = 0
  for (const { index, 1: fence = '', 2: code = '' } of blocks) {
    parts.push(text.slice(done, index + fence.length), <span key={index}>{spansOf(code)}</span>)
    done = index + fence.length + code.length
  }
  return [...parts, text.slice(done)]
}

const spansOf = (code: string) => spans(lowlight.highlight('python', code).children)

function spans(nodes: Root['children']): ReactNode[] {
  return nodes.map((node, place) => {
    if (node.type === 'text') return node.value
    if (node.type !== 'element') return null
    const [kind = ''] = node.properties.className as string[]
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a text's tokens keep their places.
      <span key={place} className={tones[kind]}>
        {spans(node.children as Root['children'])}
      </span>
    )
  })
}
