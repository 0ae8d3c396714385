/** Makes a value for a key at its first use, and again at the next if that failed. */
export function once<K, T>(made: Map<K, Promise<T>>, key: K, make: () => Promise<T>): Promise<T> {
  const known = made.get(key)
  if (known !== undefined) return known
  const making = make()
  made.set(key, making)
  making.catch(() => made.delete(key)) // the caller has the error
  return making
}
