export const roleNames = ['proposer', 'solver', 'evaluator', 'judge', 'auditor', 'gateway'] as const
export type RoleName = (typeof roleNames)[number]
