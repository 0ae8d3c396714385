/** Outcomes of a peer's round, by the contracts' numbers: `IEarnings.outcomeOf`. */
export const outcomes = { 1: 'scored', 2: 'unavailable', 3: 'noQuorum', 4: 'void' } as const
