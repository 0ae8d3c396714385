/** Share of right answers that are accepted (`acceptsRight`) and of wrong ones that are rejected (`rejectsWrong`), and the mean of the two. */
export type Accuracy = { balanced: number; acceptsRight: number; rejectsWrong: number; right: number; wrong: number }

export function balancedAccuracy(predictions: readonly number[], isRight: readonly boolean[]): Accuracy {
  const share = (label: boolean) => {
    const chosen = predictions.filter((_, i) => isRight[i] === label)
    return { count: chosen.length, share: chosen.filter(p => p > 0.5 === label).length / Math.max(1, chosen.length) }
  }
  const [right, wrong] = [share(true), share(false)]
  const rounded = (value: number) => Number(value.toFixed(3))
  return {
    balanced: rounded((right.share + wrong.share) / 2),
    acceptsRight: rounded(right.share),
    rejectsWrong: rounded(wrong.share),
    right: right.count,
    wrong: wrong.count,
  }
}
