/**
 * Scales gradients in place so that their joint Euclidean norm is at most `limit`.
 *
 * @param limit - 0 leaves them as they are.
 * @returns the norm before.
 */
export function clipGradients(gradients: ReadonlyMap<string, Float32Array>, limit: number): number {
  let squares = 0
  for (const gradient of gradients.values()) {
    for (let i = 0; i < gradient.length; i++) squares += (gradient[i] as number) ** 2
  }
  const norm = Math.sqrt(squares)
  if (limit > 0 && norm > limit) {
    const factor = limit / (norm + 1e-6)
    for (const gradient of gradients.values()) {
      for (let i = 0; i < gradient.length; i++) gradient[i] = (gradient[i] as number) * factor
    }
  }
  return norm
}
