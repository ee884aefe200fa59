const BLOCK = /```json\n(.*?)\n```/s
/** The address that pages in docs/ write. */
const PLACEHOLDER = 'https://pay.example'

/** The error body that a page of docs/errors shows, with links to this installation. Throws SyntaxError when it is no JSON. */
export function errorExample(page: string, baseUrl: string): unknown {
  const [, text = '{}'] = BLOCK.exec(page) ?? []
  const body: unknown = JSON.parse(text.replaceAll(PLACEHOLDER, baseUrl))
  return body
}
