import { markup } from './markup.ts'
import type { Html } from './markup.ts'

type Found = readonly (string | undefined)[] & { readonly 0: string }

const JSON_TOKEN =
  /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g
/** JSON in quotes, other text in quotes, a program at the beginning of a line, an option, a comment. */
const SHELL_TOKEN =
  /'(\{[^']*\})'|('[^']*'|"(?:[^"\\]|\\.)*")|(?<=^|\n|\$\()(curl|npx|npm|node|eval)\b|(?<=\s)(--?[a-zA-Z][\w-]*)|(?<=^|\s)(#[^\n]*)/g
/** JavaScript and Python alike: a name of a field in quotes, text, a number, a word of the language, a comment. */
const CODE_TOKEN =
  /("(?:[^"\\\n]|\\.)*")(?=\s*:)|(f?"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)|\b(\d+(?:\.\d+)?)\b|\b(const|await|new|if|not|throw|raise|import|from|return|true|false|null|True|False|None)\b|((?:\/\/|#)[^\n]*)/g

/** Text of a known language with its parts marked; anything else as it is. */
export function highlight(text: string, language: string): Html {
  switch (language) {
    case 'json':
      return mark(text, JSON_TOKEN, ([whole, string, colon, number]) => {
        if (string !== undefined && colon !== undefined) return markup`<b>${string}</b>${colon}`
        if (string !== undefined) return markup`<i class="s">${string}</i>`
        return number === undefined
          ? markup`<i class="k">${whole}</i>`
          : markup`<i class="n">${number}</i>`
      })
    case 'sh':
    case 'bash':
      return mark(text, SHELL_TOKEN, ([whole, json, string, program, option]) => {
        if (json !== undefined) return markup`'${highlight(json, 'json')}'`
        if (string !== undefined) return markup`<i class="s">${string}</i>`
        if (program !== undefined) return markup`<i class="k">${program}</i>`
        return option === undefined ? markup`<i class="c">${whole}</i>` : markup`<b>${option}</b>`
      })
    case 'js':
    case 'python':
      return mark(text, CODE_TOKEN, ([whole, name, string, number, word]) => {
        if (name !== undefined) return markup`<b>${name}</b>`
        if (string !== undefined) return markup`<i class="s">${string}</i>`
        if (number !== undefined) return markup`<i class="n">${number}</i>`
        return word === undefined
          ? markup`<i class="c">${whole}</i>`
          : markup`<i class="k">${word}</i>`
      })
    default:
      return markup`${text}`
  }
}

function mark(text: string, token: RegExp, write: (found: Found) => Html): Html {
  const parts: Html[] = []
  let at = 0
  for (const found of text.matchAll(token)) {
    parts.push(markup`${text.slice(at, found.index)}`, write(found))
    at = found.index + found[0].length
  }
  return markup`${parts}${text.slice(at)}`
}
