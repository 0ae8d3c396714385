const order = ['proposer', 'solver', 'evaluator']

/** `1 proposer, 3 solvers, 3 evaluators`: the roles that are there, known ones first. */
export function rolesOf(counts: Readonly<Record<string, number>>): string {
  const rank = (role: string) => (order.includes(role) ? order.indexOf(role) : order.length)
  return Object.entries(counts)
    .sort(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b))
    .map(([role, count]) => `${count} ${role}${count === 1 ? '' : 's'}`)
    .join(', ')
}
