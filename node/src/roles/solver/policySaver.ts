import type { PolicyClient } from '#rl/policy/policyClient.ts'

export type PolicySaver = {
  /** Notes that the policy may be another than the saved one. */
  changes(): void
  /** Saves it if it may have changed. */
  save(): Promise<void>
}

/** Saves a policy, and once more after a save that failed: a disk that was full may have space again, and a restart would lose what was learned. */
export function createPolicySaver(policy: Pick<PolicyClient, 'save'>, folder: string): PolicySaver {
  let isSaved = true
  return {
    changes() {
      isSaved = false
    },
    async save() {
      if (isSaved) return
      await policy.save(folder)
      isSaved = true
    },
  }
}
