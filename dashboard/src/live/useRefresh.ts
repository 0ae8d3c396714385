'use client'

import { useRouter } from 'next/navigation'
import { useCallback, useEffect, useRef } from 'react'

/** Events come in bursts; a page is refreshed at most this often. */
const REFRESH_MS = 2_000

/** Refreshes the page soon: calls in quick succession become one, and a hidden page waits until it is visible. */
export function useRefresh(): () => void {
  const router = useRouter()
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const late = useRef(false)

  useEffect(() => {
    const onVisible = () => {
      if (document.hidden || !late.current) return
      late.current = false
      router.refresh()
    }
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      document.removeEventListener('visibilitychange', onVisible)
      if (timer.current !== null) clearTimeout(timer.current)
      timer.current = null
    }
  }, [router])

  return useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = null
      if (document.hidden) late.current = true
      else router.refresh()
    }, REFRESH_MS)
  }, [router])
}
