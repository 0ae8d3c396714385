'use client'

import { useRouter } from 'next/navigation'
import { useEffect, useRef, useTransition } from 'react'

const PAUSE_MS = 250

/** Searches while the reader types; without scripts it is a plain form. */
export function LeaderboardSearch({ search }: { search: string }) {
  const router = useRouter()
  const [pending, startTransition] = useTransition()
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  function show(text: string) {
    clearTimeout(timer.current)
    const query = text.trim() === '' ? '/' : `/?${new URLSearchParams({ q: text.trim() })}`
    startTransition(() => router.replace(query, { scroll: false }))
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
        <label className="sr-only" htmlFor="search">
          Search by name, peer id or account
        </label>
        <input
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
