import type { Op } from '../op.ts'
import type { OpCase } from './caseModel.ts'
import { modelCases } from './modelCases.ts'
import { quantizedCases } from './quantizedCases.ts'
import { tensorCases } from './tensorCases.ts'

/**
 * At least one case for every op. The op table is tested on them: its gradients in float64 on the CPU, its outputs and gradients in
 * float32 on each device.
 */
export const opCases: Record<Op, readonly OpCase[]> = { ...tensorCases, ...modelCases, ...quantizedCases }
