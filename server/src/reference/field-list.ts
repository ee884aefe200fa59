import { inlineMarkdown } from './markdown-inline.ts'
import { allowedValues, innerSchema, ruleWords, typeWords } from './field-words.ts'
import type { JsonSchema } from './json-schema.ts'
import { markup, NOTHING } from './markup.ts'
import type { Html } from './markup.ts'

export type FieldPlace = 'request' | 'response'

/** The fields of an object, each with its kind, its rules and what it means; inner objects fold open. */
export function fieldList({ properties = {}, required = [] }: JsonSchema, place: FieldPlace): Html {
  const rows = Object.entries(properties).map(
    ([name, field]) => markup`<li>
<div class="field"><code class="name">${name}</code> <span class="type">${kindOf(field)}</span> ${mark(required.includes(name), place)}</div>
${meaning(field)}${values(field)}${inside(name, field, place)}</li>\n`,
  )
  return markup`<ul class="fields">${rows}</ul>`
}

function kindOf(field: JsonSchema): string {
  return [typeWords(field), ...ruleWords(field)].join(', ')
}

/** Nearly everything is there in a response, so what may be missing is marked; in a request it is what must be there. */
function mark(isRequired: boolean, place: FieldPlace): Html {
  if (place === 'request') {
    return isRequired ? markup`<span class="required">required</span>` : NOTHING
  }
  return isRequired ? NOTHING : markup`<span class="optional">optional</span>`
}

function meaning({ description }: JsonSchema): Html {
  if (description === undefined) return NOTHING
  return markup`<p>${inlineMarkdown(description, () => undefined)}</p>\n`
}

function values(field: JsonSchema): Html {
  const allowed = allowedValues(field)
  if (allowed.length < 2) return NOTHING
  return markup`<p class="values">${allowed.map((value) => markup`<code>${value}</code> `)}</p>\n`
}

function inside(name: string, field: JsonSchema, place: FieldPlace): Html {
  const inner = innerSchema(field)
  if (inner === undefined) return NOTHING
  return markup`<details><summary>Fields of <code>${name}</code></summary>${fieldList(inner, place)}</details>\n`
}
