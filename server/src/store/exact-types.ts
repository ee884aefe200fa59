import pg from 'pg'

const INT8_ARRAY = 1016
const NUMERIC_ARRAY = 1231

/** PostgreSQL writes `{1,NULL,2}`; numbers are never quoted. */
function readNumbers(text: string): (string | null)[] {
  const inside = text.slice(1, -1)
  if (inside.includes('{')) throw new TypeError('arrays of numbers have one dimension')
  return inside === '' ? [] : inside.split(',').map((item) => (item === 'NULL' ? null : item))
}

/**
 * How values leave PostgreSQL: int8 and numeric as text, which is the driver's way, and arrays of
 * numeric too, which it would pass through a float.
 */
export function exactTypes(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides()
  types.setTypeParser(INT8_ARRAY, readNumbers)
  types.setTypeParser(NUMERIC_ARRAY, readNumbers)
  return types
}
