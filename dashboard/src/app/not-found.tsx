import Link from 'next/link'

export default function NotFound() {
  return (
    <>
      <h1 className="text-5xl">No such cell in this comb</h1>
      <p className="mt-4 max-w-prose text-soft">
        The address names no page, peer, round or game. What has just been registered may need a moment to be indexed.
      </p>
      <p className="mt-6">
        <Link href="/">Go to the leaderboard</Link> or <Link href="/rounds">look through the rounds</Link>.
      </p>
    </>
  )
}
