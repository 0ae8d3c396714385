/** Number of peers by reported release, newest first; null if none reports one. */
export function releasesOf(peers: readonly { release: string | null }[]): string | null {
  const counts = new Map<string, number>()
  for (const { release } of peers) if (release !== null) counts.set(release, (counts.get(release) ?? 0) + 1)
  if (counts.size === 0) return null
  const newestFirst = [...counts].sort(([a], [b]) => b.localeCompare(a, 'en', { numeric: true }))
  return newestFirst.map(([release, count]) => `${release} (${count})`).join(', ')
}
