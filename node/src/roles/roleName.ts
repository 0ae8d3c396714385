export const roleNames = ['proposer', 'solver', 'evaluator', 'judge', 'gateway'] as const
export type RoleName = (typeof roleNames)[number]
