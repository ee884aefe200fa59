import { inlineMarkdown } from './markdown-inline.ts'
import { allowedValues, innerSchema, ruleWords, typeWords } from './field-words.ts'
import type { JsonSchema } from './json-schema.ts'
import { markup, NOTHING } from './markup.ts'
import type { Html } from './markup.ts'

const INLINE = (text: string) => inlineMarkdown(text, () => undefined)

/** The fields of an object, each with its kind, its rules and what it means; inner objects fold open. */
export function fieldList(schema: JsonSchema, place: 'request' | 'answer'): Html {
  const { properties = {}, required = [] } = schema
  const rows = Object.entries(properties).map(([name, field]) =>
    fieldRow(name, field, required.includes(name), place),
  )
  return markup`<ul class="fields">${rows}</ul>`
}

function fieldRow(
  name: string,
  field: JsonSchema,
  isRequired: boolean,
  place: 'request' | 'answer',
): Html {
  const inner = innerSchema(field)
  const rules = ruleWords(field)
  const values = allowedValues(field)
  // In an answer nearly everything is there, so what may be missing is said; in a request what must be there.
  const mark =
    place === 'request'
      ? isRequired
        ? markup`<span class="required">required</span>`
        : NOTHING
      : isRequired
        ? NOTHING
        : markup`<span class="maybe">not always there</span>`
  return markup`<li>
<div class="field"><code class="name">${name}</code> <span class="type">${typeWords(field)}</span> ${mark}</div>
${field.description === undefined ? NOTHING : markup`<p>${INLINE(field.description)}</p>\n`}${
    rules.length === 0 ? NOTHING : markup`<p class="rules">${rules.map(sentence).join(' · ')}</p>\n`
  }${
    values.length < 2
      ? NOTHING
      : markup`<p class="values">${values.map((value) => markup`<code>${value}</code> `)}</p>\n`
  }${
    inner === undefined
      ? NOTHING
      : markup`<details><summary>Fields of ${name}</summary>${fieldList(inner, place)}</details>\n`
  }</li>\n`
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}
