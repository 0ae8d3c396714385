import { randomBytes } from 'node:crypto'
import type { Handler } from 'hono'

/** A page for manual queries. It loads nothing from elsewhere, so it works without a network. */
export const explorePage: Handler = context => {
  const nonce = randomBytes(16).toString('base64')
  context.header(
    'content-security-policy',
    `default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'; connect-src 'self'; frame-ancestors 'none'`,
  )
  return context.html(page(nonce))
}

const FIRST = `{
  standings(where: { rank_lte: 5 }, orderBy: "rank") {
    items { rank name pointsMilli finalPointsMilli }
  }
}`

const page = (nonce: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Waggle's index</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { margin: 0 auto; max-width: 72rem; padding: 1rem }
  main { display: grid; gap: 1rem 2rem; grid-template-columns: minmax(0, 1fr) minmax(0, 18rem) }
  textarea, pre { box-sizing: border-box; font: 14px/1.5 ui-monospace, monospace; width: 100% }
  pre { overflow: auto }
  button { font: inherit; padding: .25rem 1rem }
  summary { padding: .125rem 0 }
  ul { margin: 0; padding-left: 1.5rem }
  @media (max-width: 48rem) { main { grid-template-columns: minmax(0, 1fr) } }
</style>
<h1>Waggle's index</h1>
<main>
  <form>
    <label>Query<textarea name="query" rows="12" spellcheck="false">${FIRST}</textarea></label>
    <label>Variables<textarea name="variables" rows="3" spellcheck="false">{}</textarea></label>
    <p><button>Run</button> or Ctrl-Enter</p>
    <pre role="status" aria-label="Answer"></pre>
  </form>
  <nav aria-label="Tables"><h2>Tables</h2></nav>
</main>
<script nonce="${nonce}">
  const form = document.querySelector('form')
  const ask = async question => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch('', { method: 'POST', headers, body: JSON.stringify(question) })).json()
  }
  const run = async () => {
    const { query, variables } = Object.fromEntries(new FormData(form))
    const answer = await ask({ query, variables: JSON.parse(variables || '{}') }).catch(error => ({ error: error.message }))
    form.querySelector('pre').textContent = JSON.stringify(answer, null, 2)
  }
  form.addEventListener('submit', event => { event.preventDefault(); run() })
  form.addEventListener('keydown', event => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run() })

  const type = 'type { name kind ofType { name kind ofType { name kind ofType { name } } } }'
  const nameOf = one => one.name ?? nameOf(one.ofType)
  const element = (name, ...children) => {
    const made = document.createElement(name)
    made.append(...children)
    return made
  }
  ask({ query: '{ __schema { queryType { fields { name description ' + type + ' } } types { name fields { name description ' + type + ' } } } }' }).then(({ data }) => {
    const types = new Map(data.__schema.types.map(one => [one.name, one]))
    for (const field of data.__schema.queryType.fields) {
      const page = types.get(nameOf(field.type))
      const items = page?.fields?.find(one => one.name === 'items')
      if (items === undefined) continue
      const columns = types.get(nameOf(items.type)).fields.map(one => element('li', one.name + ': ' + nameOf(one.type) + '. ' + (one.description ?? '')))
      document.querySelector('nav').append(element('details', element('summary', field.name), field.description ?? '', element('ul', ...columns)))
    }
  })
</script>
`
