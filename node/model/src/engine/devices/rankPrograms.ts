import { once } from '#base/once.ts'
import { Graph } from '../graph.ts'
import { encodeModel, type OnnxModel } from '../onnxModel.ts'
import { createSession, type Feed, type RunResults, type Session } from '../session.ts'
import type { Shape, Value } from '../value.ts'
import { type Device, keepsTensors } from './device.ts'

/** A program for tensors of one rank and any lengths. Its results stay on a device that keeps tensors. */
export function rankModel(
  device: Device,
  rank: number,
  build: (graph: Graph, shape: Shape) => Record<string, Value>,
): OnnxModel {
  const lengths = Array.from({ length: rank }, (_, axis) => `D${axis}`)
  const outputs = build(new Graph(), lengths)
  return encodeModel(outputs, [], device, keepsTensors(device) ? Object.keys(outputs) : [])
}

/** Runs a program on a device for tensors of any rank; each rank's is built at first use. */
export interface RankPrograms {
  run(rank: number, feeds: Readonly<Record<string, Feed>>): Promise<RunResults['kept']>
  dispose(): Promise<void>
}

export function rankPrograms(model: (rank: number) => OnnxModel): RankPrograms {
  const sessions = new Map<number, Promise<Session>>()
  return {
    async run(rank, feeds) {
      const session = once(sessions, rank, () => createSession(model(rank), { threads: 1 }))
      const { model: program, runKeeping } = await session
      return (await runKeeping(feeds, [...program.outputs.keys()])).kept
    },
    async dispose() {
      for (const session of sessions.values()) await (await session).dispose()
      sessions.clear()
    },
  }
}
