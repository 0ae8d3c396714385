import type { z } from 'zod'

/**
 * The fields of a schema of `Options`. A missing field, an unknown field, or a field that accepts a string, number or boolean that the option does
 * not is a compile error.
 */
export type SchemaOf<Options> = {
  readonly [Key in keyof Options]-?: NonNullable<Options[Key]> extends string | number | boolean
    ? z.ZodType<Options[Key] | undefined>
    : z.ZodType
}
