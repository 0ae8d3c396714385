export const roleNames = ['proposer', 'solver', 'evaluator', 'gateway'] as const
export type RoleName = (typeof roleNames)[number]
