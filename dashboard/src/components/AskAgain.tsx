'use client'

import { useEffect } from 'react'
import { useRefresh } from '#live/useRefresh.ts'

const RETRY_MS = 5_000

/** Reads the page again until what it stands in is gone. */
export function AskAgain() {
  const refresh = useRefresh()
  useEffect(() => {
    const timer = setInterval(refresh, RETRY_MS)
    return () => clearInterval(timer)
  }, [refresh])
  return null
}
