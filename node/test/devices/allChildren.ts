// Runs the children of ../devices.e2e.test.ts in one process, which compiles the kernels that they share once. The lines that each prints follow its name.
for (const name of [
  'deviceLeaksChild',
  'deviceTrainingChild',
  'deviceLearnerChild',
  'deviceCacheChild',
  'deviceChild',
]) {
  console.log(name)
  await import(`./${name}.ts`)
}
