/** Number of peers by reported release, newest first; null if none reports one. */
export function releasesOf(counts: Readonly<Record<string, number>>): string | null {
  const newestFirst = Object.entries(counts).sort(([a], [b]) => b.localeCompare(a, 'en', { numeric: true }))
  return newestFirst.map(([release, count]) => `${release} (${count})`).join(', ') || null
}
