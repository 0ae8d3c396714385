import type { z } from 'zod'

/**
 * The fields of a schema of `Options`: a field that is missing, or one that is not an option, does not compile; nor does one that lets a
 * text, a number or a boolean pass that the option cannot be.
 */
export type SchemaOf<Options> = {
  readonly [Key in keyof Options]-?: NonNullable<Options[Key]> extends string | number | boolean
    ? z.ZodType<Options[Key] | undefined>
    : z.ZodType
}
