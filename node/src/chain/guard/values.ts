export const fieldsOf = (result: unknown) => (result ?? {}) as Record<string, unknown>

export function isListOf(is: (item: unknown) => boolean, value: unknown): boolean {
  return Array.isArray(value) && value.every(is)
}

/** Bytes in hexadecimal. */
export function isHex(value: unknown): value is string {
  // Without a group: repeating one overflows the stack of the regular expression at 8 MiB.
  return typeof value === 'string' && value.length % 2 === 0 && /^0x[0-9a-f]*$/i.test(value)
}

export function isQuantity(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value)
}

export function isQuantityOrNone(value: unknown): boolean {
  return value === undefined || value === null || isQuantity(value)
}

export function isSafeQuantityOrNone(value: unknown): boolean {
  return value === undefined || value === null || isSafeQuantity(value)
}

export function isSafeQuantity(value: unknown): value is string {
  return isQuantity(value) && Number.isSafeInteger(Number(value))
}

export function isBytes(value: unknown, length: number): value is string {
  return isHex(value) && value.length === 2 + 2 * length
}
