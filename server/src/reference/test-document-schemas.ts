import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv'

/** Compiles schemas that refer to a document's components, strictly: an unknown keyword throws. */
export function documentSchemas(document: {
  readonly components: { readonly schemas: object }
}): (schema: object) => ValidateFunction {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
  ajv.addVocabulary(['components', 'x-bytes-max', 'example'])
  ajv.addFormat('uri', (value: string) => URL.canParse(value))
  const { schemas } = document.components
  return (schema) => ajv.compile({ components: { schemas }, ...schema })
}
