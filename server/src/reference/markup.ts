/** HTML that was made by `markup` and nothing else: whatever went in as text is escaped. */
class Markup {
  readonly #text: string
  constructor(text: string) {
    this.#text = text
  }
  toString(): string {
    return this.#text
  }
}

export type Html = Markup

/** What may stand between the pieces of a template: text and numbers are escaped, HTML stands as it is. */
export type Piece = string | number | Html | readonly Html[]

/**
 * A template whose own pieces are HTML and whose values are escaped, in text and in quoted attributes. The only way to
 * make HTML, so text from anywhere cannot become part of a page's structure.
 */
export function markup(pieces: TemplateStringsArray, ...values: readonly Piece[]): Html {
  const text = pieces.map((piece, index) => {
    const value = values[index]
    return value === undefined ? piece : piece + write(value)
  })
  return new Markup(text.join(''))
}

export const NOTHING: Html = markup``

function write(value: Piece): string {
  if (value instanceof Markup) return value.toString()
  if (typeof value === 'object') return value.map(String).join('')
  return escape(String(value))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
