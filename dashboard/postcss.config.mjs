import { join } from 'node:path'

// Classes are looked for here only, and not in every room of the repository.
export default { plugins: { '@tailwindcss/postcss': { base: join(import.meta.dirname, 'src') } } }
