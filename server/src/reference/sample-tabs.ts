import { codeBlock } from './markdown.ts'
import { markup, NOTHING } from './markup.ts'
import type { Html } from './markup.ts'
import type { Sample } from './samples.ts'

/** One sample at a time, chosen without a script: a radio button for each, and a style that shows what is chosen. */
export function sampleTabs(samples: readonly Sample[]): Html {
  const tabs = samples.map(
    ({ language, title }, index) =>
      markup`<input type="radio" name="language" id="in-${language}"${index === 0 ? markup` checked` : NOTHING}><label for="in-${language}">${title}</label>\n`,
  )
  const panels = samples.map(
    ({ language, text }) =>
      markup`<div class="panel ${language}">${codeBlock(text, language)}</div>`,
  )
  return markup`<div class="tabs" role="group" aria-label="Language">${tabs}${panels}</div>\n`
}
