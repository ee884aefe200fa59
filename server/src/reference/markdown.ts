import { highlight } from './highlight.ts'
import { markup } from './markup.ts'
import type { Html } from './markup.ts'
import { inlineMarkdown } from './markdown-inline.ts'
import type { ResolveLink } from './markdown-inline.ts'

export interface Heading {
  readonly level: number
  readonly text: string
  readonly id: string
}

export interface RenderedMarkdown {
  /** Text of the first heading of level 1; it is not part of `body`. */
  readonly title: string
  readonly headings: readonly Heading[]
  readonly body: Html
}

const FENCE = /^(```+)\s*([\w-]*)/
const HEADING = /^(#{1,4}) +(.+?) *#*$/
const BULLET = /^( *)[-*] +(.*)$/
const NUMBER = /^( *)\d{1,3}\. +(.*)$/
const TABLE_RULE = /^\|?( *:?-+:? *\|)+( *:?-+:? *)?$/
const QUOTE = /^> ?(.*)$/

/** A document in the Markdown that docs/ is written in. HTML in it is text; what is no known form is a paragraph. */
export function renderMarkdown(source: string, resolve: ResolveLink): RenderedMarkdown {
  return new Renderer(source.replaceAll('\r\n', '\n').split('\n'), resolve).render()
}

/** The id of a heading, as links on the web write it. */
export function headingId(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}

class Renderer {
  readonly #lines: readonly string[]
  readonly #resolve: ResolveLink
  readonly #headings: Heading[] = []
  #title = ''
  #at = 0

  constructor(lines: readonly string[], resolve: ResolveLink) {
    this.#lines = lines
    this.#resolve = resolve
  }

  render(): RenderedMarkdown {
    const blocks: Html[] = []
    while (this.#at < this.#lines.length) blocks.push(this.#block())
    return { title: this.#title, headings: this.#headings, body: markup`${blocks}` }
  }

  #line(): string {
    return this.#lines[this.#at] ?? ''
  }

  #block(): Html {
    const line = this.#line()
    if (line.trim() === '') {
      this.#at += 1
      return markup``
    }
    const fence = FENCE.exec(line)
    if (fence) return this.#code(fence[1] ?? '', fence[2] ?? '')
    const heading = HEADING.exec(line)
    if (heading) return this.#heading(heading[1]?.length ?? 1, heading[2] ?? '')
    if (line.startsWith('|') && TABLE_RULE.test(this.#lines[this.#at + 1] ?? ''))
      return this.#table()
    const list = [BULLET, NUMBER].find((form) => form.test(line))
    if (list) return this.#list(list, indentOf(line))
    if (QUOTE.test(line)) return this.#quote()
    return markup`<p>${this.#inline(this.#run((next) => this.#begins(next)))}</p>\n`
  }

  /** Whether a line begins something else than more of a paragraph. */
  #begins(line: string): boolean {
    return (
      [FENCE, HEADING, BULLET, NUMBER, QUOTE].some((form) => form.test(line)) ||
      line.startsWith('|')
    )
  }

  /** This line and those that follow it, up to a blank one or one that ends the run; always at least one. */
  #run(ends: (line: string) => boolean): string {
    const lines = [this.#line().trim()]
    this.#at += 1
    while (this.#line().trim() !== '' && !ends(this.#line())) {
      lines.push(this.#line().trim())
      this.#at += 1
    }
    return lines.join(' ')
  }

  #code(mark: string, language: string): Html {
    const lines: string[] = []
    this.#at += 1
    while (this.#at < this.#lines.length && !this.#line().startsWith(mark)) {
      lines.push(this.#line())
      this.#at += 1
    }
    this.#at += 1
    return codeBlock(lines.join('\n'), language)
  }

  #heading(level: number, text: string): Html {
    this.#at += 1
    if (level === 1 && this.#title === '') {
      this.#title = text.replaceAll(/[`*]/g, '')
      return markup``
    }
    const id = headingId(text)
    this.#headings.push({ level, text: text.replaceAll(/[`*]/g, ''), id })
    const content = markup`<a class="anchor" href="#${id}">${this.#inline(text)}</a>`
    if (level <= 2) return markup`<h2 id="${id}">${content}</h2>\n`
    if (level === 3) return markup`<h3 id="${id}">${content}</h3>\n`
    return markup`<h4 id="${id}">${content}</h4>\n`
  }

  #table(): Html {
    const head = cells(this.#line())
    this.#at += 2
    const rows: Html[] = []
    while (this.#line().startsWith('|')) {
      rows.push(
        markup`<tr>${cells(this.#line()).map((cell) => markup`<td>${this.#inline(cell)}</td>`)}</tr>\n`,
      )
      this.#at += 1
    }
    const top = head.every((cell) => cell === '')
      ? markup``
      : markup`<thead><tr>${head.map((cell) => markup`<th scope="col">${this.#inline(cell)}</th>`)}</tr></thead>`
    return markup`<div class="wide"><table>${top}<tbody>${rows}</tbody></table></div>\n`
  }

  /** Items of one kind at one depth; what is indented further belongs to the item above it. */
  #list(form: RegExp, indent: number): Html {
    const items: Html[] = []
    for (;;) {
      const [, space = '', first = ''] = form.exec(this.#line()) ?? []
      if (!form.test(this.#line()) || space.length !== indent) break
      items.push(markup`<li>${this.#item(first, indent)}</li>\n`)
      if (this.#line().trim() === '' && form.test(this.#lines[this.#at + 1] ?? '')) this.#at += 1
    }
    return form === BULLET ? markup`<ul>${items}</ul>\n` : markup`<ol>${items}</ol>\n`
  }

  #item(first: string, indent: number): Html {
    const text = [first]
    const nested: Html[] = []
    this.#at += 1
    while (this.#line().trim() !== '') {
      const line = this.#line()
      const form = [BULLET, NUMBER].find((each) => each.test(line))
      const depth = indentOf(line)
      if (form !== undefined && depth <= indent) break
      if (form !== undefined) nested.push(this.#list(form, depth))
      else if (depth > indent || !this.#begins(line)) {
        text.push(line.trim())
        this.#at += 1
      } else break
    }
    return markup`${this.#inline(text.join(' '))}${nested}`
  }

  #quote(): Html {
    const lines: string[] = []
    for (let found = QUOTE.exec(this.#line()); found; found = QUOTE.exec(this.#line())) {
      lines.push(found[1] ?? '')
      this.#at += 1
    }
    const inner = renderMarkdown(lines.join('\n'), this.#resolve)
    return markup`<blockquote>${inner.body}</blockquote>\n`
  }

  #inline(text: string): Html {
    return inlineMarkdown(text, this.#resolve)
  }
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

/** The cells of a table's row; a bar after a backslash is part of its cell. */
function cells(row: string): readonly string[] {
  const inner = row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
  return inner.split(/(?<!\\)\|/).map((cell) => cell.replaceAll('\\|', '|').trim())
}

/** A block of code that can be copied; the script adds the button, so that without it there is none. */
export function codeBlock(text: string, language: string): Html {
  return markup`<div class="code"><pre tabindex="0"><code>${highlight(text, language)}</code></pre></div>\n`
}
