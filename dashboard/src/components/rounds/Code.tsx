'use client'

import { type ReactNode, useEffect, useState } from 'react'
import { visibleText } from '#merge/visibleText.ts'

/** Python code, highlighted once the highlighter has loaded: the page's HTML holds plain text. */
export function Code({ text: written }: { text: string }) {
  const text = visibleText(written)
  const [colored, setColored] = useState<ReactNode>(null)
  useEffect(() => {
    let current = true
    void import('./colorCode.tsx').then(({ colorCode }) => {
      if (current) setColored(colorCode(text))
    })
    return () => {
      current = false
    }
  }, [text])
  return <code className="figures">{colored ?? text}</code>
}
