import { NodeError } from '#base/errors.ts'

/** A tensor graph that makes no sense: shapes that do not fit, an op without a gradient asked for one. */
export class GraphError extends NodeError {
  readonly code: string = 'ENGINE_GRAPH'

  constructor(message: string) {
    super(message, { hint: 'This is a defect of the program that builds the graph; please report it.' })
  }
}

/** ONNX Runtime refused to build or to run a model. */
export class SessionError extends NodeError {
  readonly code: string = 'ENGINE_SESSION'
}

/** The runtime asked for memory and got none: the same may be done in smaller parts. */
export class SessionMemoryError extends SessionError {
  override readonly code = 'ENGINE_MEMORY'
}

/** A GPU failed in a run, and may be lost to this process: another process may have it. */
export class DeviceError extends SessionError {
  override readonly code = 'ENGINE_DEVICE'
}
