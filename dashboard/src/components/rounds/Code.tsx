'use client'

import { type ReactNode, useEffect, useState } from 'react'

/** Python in colours, once what colours it has loaded: the page's HTML holds the text alone. */
export function Code({ text }: { text: string }) {
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
