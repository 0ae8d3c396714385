import type { Bodies, OpenedBody } from '#core/payloads/bodyOperations.ts'

/** A part of a body has as many items as come to this: leaves, scores or samples. To receive it takes some ms. */
const PART_WEIGHT = 512

/** The list that makes a body long, and how much an item of it weighs. */
const lists = {
  rollouts: { name: 'groups', weight: ({ rollouts }) => rollouts.length },
  scores: { name: 'peers', weight: ({ leaves }) => leaves.length + 1 },
  canary: { name: 'samples', weight: () => 1 },
} as const satisfies {
  rollouts: List<Bodies['rollouts']['groups'][number]>
  scores: List<Bodies['scores']['peers'][number]>
  canary: List<Bodies['canary']['samples'][number]>
}
type List<Item> = { name: string; weight(item: Item): number }

/** A body without its list, and the list in parts: a thread is sent a whole one in one turn of its event loop, however long. */
export type PartedBody = { head: OpenedBody<object>; parts: unknown[][] }

export function partBody<Kind extends keyof Bodies>(kind: Kind, { body, tree }: OpenedBody<Bodies[Kind]>): PartedBody {
  const { name, weight } = lists[kind] as List<unknown>
  const { [name]: items = [], ...rest } = body as unknown as Record<string, unknown[]>
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
  return { head: { body: rest, tree }, parts }
}

export function joinBody<Kind extends keyof Bodies>(kind: Kind, { head, parts }: PartedBody): OpenedBody<Bodies[Kind]> {
  const body: object = { ...head.body, [lists[kind].name]: parts.flat() }
  return { body: body as Bodies[Kind], tree: head.tree }
}
