const order = ['proposer', 'solver', 'evaluator']

/** `1 proposer, 3 solvers, 3 evaluators`: the roles that are there, known ones first. */
export function rolesOf(peers: { role: string }[]): string {
  const rank = (role: string) => (order.includes(role) ? order.indexOf(role) : order.length)
  return [...Map.groupBy(peers, peer => peer.role)]
    .sort(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b))
    .map(([role, of]) => `${of.length} ${role}${of.length === 1 ? '' : 's'}`)
    .join(', ')
}
