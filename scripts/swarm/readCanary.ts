/** pass@1 by execution of each solver's canary, by round; nothing while the gateway does not answer, or ends in the middle of its answer. */
export async function readCanary(gatewayUrl: string): Promise<Map<number, number[]>> {
  const points = await readPoints(gatewayUrl).catch(() => [])
  const byRound = Map.groupBy(points, ({ round }) => round)
  return new Map([...byRound].map(([round, measured]) => [round, measured.map(({ passAt1 }) => passAt1)]))
}

async function readPoints(gatewayUrl: string): Promise<{ round: number; passAt1: number }[]> {
  const response = await fetch(`${gatewayUrl}/v1/canary`, { signal: AbortSignal.timeout(2_000) })
  if (!response.ok) return []
  const { points } = (await response.json()) as { points: { round: number; passAt1: number }[] }
  return points
}
