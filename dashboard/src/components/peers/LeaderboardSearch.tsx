'use client'

import { useRouter } from 'next/navigation'
import { useEffect, useRef, useTransition } from 'react'

const PAUSE_MS = 250

interface Props {
  search: string
  /** Whether the board under it has peers without points too, as it does again after the search. */
  isWhole: boolean
}

/** Searches while the reader types; before its scripts run it is a plain form. */
export function LeaderboardSearch({ search, isWhole }: Props) {
  const router = useRouter()
  const [pending, startTransition] = useTransition()
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => () => clearTimeout(timer.current), [])
  // A link may lead to another search, or to none. Who types is ahead of the board.
  useEffect(() => {
    if (input.current !== null && input.current !== document.activeElement) input.current.value = search
  }, [search])

  function show(text: string) {
    clearTimeout(timer.current)
    const asked = text.trim()
    const query = new URLSearchParams({ ...(asked !== '' && { q: asked }), ...(isWhole && { all: '1' }) })
    startTransition(() => router.replace(query.size === 0 ? '/' : `/?${query}`, { scroll: false }))
  }

  function onType(text: string) {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => show(text), PAUSE_MS)
  }

  return (
    <search className="w-full sm:w-72">
      <form
        action="/"
        onSubmit={event => {
          event.preventDefault()
          show(String(new FormData(event.currentTarget).get('q') ?? ''))
        }}
      >
        {isWhole && <input type="hidden" name="all" value="1" />}
        <label className="sr-only" htmlFor="search">
          Search by name, peer id or account
        </label>
        <input
          ref={input}
          id="search"
          name="q"
          type="search"
          defaultValue={search}
          aria-busy={pending}
          onChange={event => onType(event.target.value)}
          placeholder="Name, peer id or account"
          autoComplete="off"
          spellCheck={false}
          className="w-full rounded-full border border-soft bg-comb px-4 py-2 text-base placeholder:text-soft"
        />
      </form>
    </search>
  )
}
