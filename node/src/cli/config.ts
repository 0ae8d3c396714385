import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { roleNames } from '#roles/roleName.ts'
import { UsageError } from './usageError.ts'

/** What a peer is told. Flags come before `<data>/waggle.yaml`, and that before the defaults. */
export const configSchema = z.strictObject({
  role: z.enum(roleNames).optional(),
  /** Name of a deployment in `deployments/`, or `local`. */
  network: z.string().default('local'),
  /** Path of a deployment's record, where it is not one that comes with the code. */
  deployment: z.string().optional(),
  /** The record may be on one chain only; its RPC endpoint is the operator's choice. */
  rpc: z.url().optional(),
  /** TCP on every interface and a free port: an operator behind NAT has nothing to choose. */
  listen: z.array(z.string()).default(['/ip4/0.0.0.0/tcp/0']),
  bootnodes: z.array(z.string()).default([]),
  /** Port of the gateway's HTTP server, on loopback. */
  http: z.coerce.number().int().min(1).max(65_535).default(3001),
  /** Holds a proposer at one level; without it the difficulty follows the settled scores. */
  level: z.coerce.number().int().min(1).max(5).optional(),
  /** Threads of a model's session. One, so that many peers share a machine; more for a peer alone. */
  threads: z.coerce.number().int().min(1).max(256).default(1),
  log: z.enum(['pretty', 'json']).default('pretty'),
})

export type Config = z.infer<typeof configSchema> & { data: string }

/**
 * @param flags - what the command line says; `undefined` where it says nothing.
 * @throws {UsageError} that names the file and the field.
 */
export function loadConfig(data: string, flags: Record<string, unknown>): Config {
  const folder = resolve(data)
  const path = join(folder, 'waggle.yaml')
  const file = existsSync(path) ? readYaml(path) : {}
  const said = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))
  const parsed = configSchema.safeParse({ ...file, ...said })
  if (parsed.success) return { ...parsed.data, data: folder }
  const issues = parsed.error.issues.map(({ path: field, message }) => `${field.join('.')}: ${message}`)
  throw new UsageError(`Bad configuration: ${issues.join('; ')}.`, { hint: `Correct the flag, or ${path}.` })
}

function readYaml(path: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(parse(readFileSync(path, 'utf8')) ?? {})
  } catch (cause) {
    throw new UsageError(`${path} is not YAML with one setting a line.`, {
      hint: 'Correct it, or move it away.',
      cause,
    })
  }
}
