import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DOCUMENTS_DIRECTORY, readDocuments } from './document-library.ts'
import { headingId, renderMarkdown } from './markdown.ts'
import { markup } from './markup.ts'

const asIs = (target: string) => target
const html = (source: string, resolve: (target: string) => string | undefined = asIs) =>
  renderMarkdown(source, resolve).body.toString().trim()

/** Names of the tags that a page has, and every attribute with its value. */
function structure(page: string) {
  const tags = [...page.matchAll(/<\/?([a-z][a-z0-9]*)((?: [a-z]+="[^"<>]*")*)>/g)]
  const rest = page.replaceAll(/<\/?[a-z][a-z0-9]*(?: [a-z]+="[^"<>]*")*>/g, '')
  return { tags: tags.map(([, name]) => name), attributes: tags.map(([, , all = '']) => all), rest }
}

const KNOWN = new Set(
  'a b blockquote code div em h2 h3 h4 i li ol p pre strong table tbody td th thead tr ul'.split(
    ' ',
  ),
)

describe('a document', () => {
  test('has its forms', () => {
    expect(html('one\ntwo `a<b` **b** *e*\n\nthree')).toBe(
      '<p>one two <code>a&lt;b</code> <strong>b</strong> <em>e</em></p>\n<p>three</p>',
    )
    expect(html('## Two words')).toBe(
      '<h2 id="two-words"><a class="anchor" href="#two-words">Two words</a></h2>',
    )
    expect(html('- a\n  more\n- b\n  - c\n\n1. x\n2. y')).toBe(
      '<ul><li>a more</li>\n<li>b<ul><li>c</li>\n</ul>\n</li>\n</ul>\n<ol><li>x</li>\n<li>y</li>\n</ol>',
    )
    expect(html('| A | B |\n| - | -: |\n| a \\| b | `c` |')).toBe(
      '<div class="wide"><table><thead><tr><th scope="col">A</th><th scope="col">B</th></tr></thead>' +
        '<tbody><tr><td>a | b</td><td><code>c</code></td></tr>\n</tbody></table></div>',
    )
    expect(html('> quoted\n> on')).toBe('<blockquote><p>quoted on</p>\n</blockquote>')
    expect(html('```json\n{"a": 1, "b": "<x>"}\n```')).toBe(
      '<div class="code"><pre tabindex="0"><code>{<b>&quot;a&quot;</b>: <i class="n">1</i>, ' +
        '<b>&quot;b&quot;</b>: <i class="s">&quot;&lt;x&gt;&quot;</i>}</code></pre></div>',
    )
  })

  test('has its title and its headings beside it', () => {
    const { title, headings, body } = renderMarkdown('# The `title`\n\n## A b\n\n### C', asIs)
    expect(title).toBe('The title')
    expect(headings).toEqual([
      { level: 2, text: 'A b', id: 'a-b' },
      { level: 3, text: 'C', id: 'c' },
    ])
    expect(body.toString()).not.toContain('<h1')
    expect(headingId('What to do, now?')).toBe('what-to-do-now')
  })

  test('links where its reader says, and shows plain text for what leads nowhere', () => {
    expect(
      html('[a](x.md) [b](y.md)', (target) => (target === 'x.md' ? '/docs/x' : undefined)),
    ).toBe('<p><a href="/docs/x">a</a> b</p>')
  })
})

describe('hostile text', () => {
  test.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '# <b>x',
    '## "><script>',
    '| <i onclick=x> |\n| - |\n| <script> |',
    '- </li></ul><script>',
    '```"><script>\n</code></pre><script>\n```',
    '```json\n"</code><script>"\n```',
    "```sh\ncurl '<script>' # <script>\n```",
    '`</code><script>`',
    '**<script>**',
    '[<script>](https://a.example/"><script>)',
    '> <script>',
    '&lt;script&gt; &#60;script&#62;',
  ])('%j stays text', (source) => {
    const { tags, attributes, rest } = structure(html(source))
    for (const tag of tags) expect([...KNOWN]).toContain(tag)
    expect(attributes.join(' ')).not.toMatch(/on\w+=|src=|style=/)
    expect(rest).not.toMatch(/[<>]/)
  })

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '//evil.example',
    '\\\\evil.example',
    '/\\evil.example',
    'java\tscript:x',
  ])('[x](%s) links nowhere', (target) => {
    expect(html(`[x](${target})`)).not.toContain('href')
  })

  test('of any kind ends, and never becomes structure', () => {
    const bits = fc.constantFrom(
      ...[
        '<',
        '>',
        '"',
        "'",
        '&',
        '`',
        '```',
        '*',
        '**',
        '[',
        ']',
        '(',
        ')',
        '|',
        '| - |',
        '\n',
        '\n\n',
      ],
      ...[
        '#',
        '## ',
        '- ',
        '  - ',
        '1. ',
        '> ',
        ' ',
        'a',
        'javascript:',
        'https://a.b',
        '\\',
        '<script>',
      ],
    )
    fc.assert(
      fc.property(fc.array(bits, { maxLength: 60 }), (parts) => {
        const { tags, rest } = structure(html(parts.join('')))
        for (const tag of tags) expect(KNOWN.has(tag ?? '')).toBe(true)
        expect(rest).not.toMatch(/[<>]/)
      }),
      { numRuns: 2_000 },
    )
  })

  test('in a value of a template is escaped in text and in attributes', () => {
    const bad = `<a href="x" onclick='y'>&`
    const good = '&lt;a href=&quot;x&quot; onclick=&#39;y&#39;&gt;&amp;'
    expect(markup`<p title="${bad}">${bad}</p>`.toString()).toBe(`<p title="${good}">${good}</p>`)
  })
})

test('every document that the site shows has no line that came out as a stray mark', async () => {
  const documents = await readDocuments(DOCUMENTS_DIRECTORY)
  expect(documents.map(({ folder }) => folder)).toContain('concepts')
  for (const { name, source } of documents) {
    const { body, title } = renderMarkdown(source, asIs)
    const text = body.toString().replaceAll(/<pre.*?<\/pre>|<code>.*?<\/code>/gs, '')
    expect(title, name).not.toBe('')
    expect(text.replaceAll(/<[^>]*>/g, ''), name).not.toMatch(/\*\*|`|^#|\]\(|\|\s*-/m)
  }
})
