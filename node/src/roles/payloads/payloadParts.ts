import type { OpenedPayload, Payloads } from '#core/payloads/payloads.ts'

/** Weight of the items (leaves, scores or samples) in a part of a payload. Receiving a part takes some ms. */
const PART_WEIGHT = 512

/** The list that makes a payload long, and how much an item of it weighs. */
const lists = {
  rollouts: { name: 'groups', weight: ({ rollouts }) => rollouts.length },
  scores: { name: 'peers', weight: ({ leaves }) => leaves.length + 1 },
  canary: { name: 'samples', weight: () => 1 },
} as const satisfies {
  rollouts: List<Payloads['rollouts']['groups'][number]>
  scores: List<Payloads['scores']['peers'][number]>
  canary: List<Payloads['canary']['samples'][number]>
}
type List<Item> = { name: string; weight(item: Item): number }

/** A payload without its list, and the list in parts: a message to a thread is received in one turn of its event loop, however long. */
export type PartedPayload = { head: OpenedPayload<object>; parts: unknown[][] }

export function partPayload<Kind extends keyof Payloads>(
  kind: Kind,
  { payload, tree }: OpenedPayload<Payloads[Kind]>,
): PartedPayload {
  const { name, weight } = lists[kind] as List<unknown>
  const { [name]: items = [], ...rest } = payload as unknown as Record<string, unknown[]>
  const parts: unknown[][] = []
  let weighs = PART_WEIGHT
  for (const item of items) {
    if (weighs >= PART_WEIGHT) {
      parts.push([])
      weighs = 0
    }
    parts.at(-1)?.push(item)
    weighs += weight(item)
  }
  return { head: { payload: rest, tree }, parts }
}

export function joinPayload<Kind extends keyof Payloads>(
  kind: Kind,
  { head, parts }: PartedPayload,
): OpenedPayload<Payloads[Kind]> {
  const payload: object = { ...head.payload, [lists[kind].name]: parts.flat() }
  return { payload: payload as Payloads[Kind], tree: head.tree }
}
