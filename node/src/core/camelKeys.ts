/** `nectar-price` as `nectarPrice`. */
type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

export type CamelKeys<T> = { [Key in keyof T as Key extends string ? CamelCase<Key> : never]: T[Key] }

/** The same values under the names of TypeScript: options and files write `nectar-price`, code `nectarPrice`. */
export function camelKeys<T extends object>(values: T): CamelKeys<T> {
  const camelCase = (name: string) => name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [camelCase(name), value])) as CamelKeys<T>
}
