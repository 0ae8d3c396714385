/** A score or points of thousandths, as points: `0.620`. */
export const milliWords = (milli: number): string => (milli / 1000).toFixed(3)
