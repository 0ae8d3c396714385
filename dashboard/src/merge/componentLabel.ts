/** A component's name from the environment's specification, for people: `predictedCorrectness` and `predicted_correctness` read alike. */
export function componentLabel(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase()
    .trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
