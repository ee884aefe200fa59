import { markup } from './markup.ts'
import type { Html } from './markup.ts'

const JSON_TOKEN =
  /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g
const SHELL_TOKEN =
  /('(?:[^'])*'|"(?:[^"\\]|\\.)*")|(^|\n)( *)(curl|npx|npm|node|export|eval)\b|(\s)(--?[a-zA-Z][\w-]*)|(#[^\n]*)/g

/** Text of a known language with its parts marked; anything else as it is. */
export function highlight(text: string, language: string): Html {
  switch (language) {
    case 'json':
      return mark(text, JSON_TOKEN, ([whole, string, colon, number]) => {
        if (string !== undefined && colon !== undefined) return markup`<b>${string}</b>${colon}`
        if (string !== undefined) return markup`<i class="s">${string}</i>`
        if (number !== undefined) return markup`<i class="n">${number}</i>`
        return markup`<i class="k">${whole}</i>`
      })
    case 'sh':
    case 'bash':
      return mark(
        text,
        SHELL_TOKEN,
        ([whole, string, start, space, program, gap, flag, comment]) => {
          if (string !== undefined) return markup`<i class="s">${string}</i>`
          if (program !== undefined)
            return markup`${start ?? ''}${space ?? ''}<i class="k">${program}</i>`
          if (flag !== undefined) return markup`${gap ?? ''}<b>${flag}</b>`
          return markup`<i class="c">${comment ?? whole}</i>`
        },
      )
    default:
      return markup`${text}`
  }
}

function mark(
  text: string,
  token: RegExp,
  write: (found: readonly (string | undefined)[] & { readonly 0: string }) => Html,
): Html {
  const parts: Html[] = []
  let at = 0
  for (const found of text.matchAll(token)) {
    parts.push(markup`${text.slice(at, found.index)}`, write(found))
    at = found.index + found[0].length
  }
  return markup`${parts}${text.slice(at)}`
}
