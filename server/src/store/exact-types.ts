import pg from 'pg'

const INT8_ARRAY = 1016
const NUMERIC_ARRAY = 1231
const TEXT_ARRAY = 1009

type GetTypeParser = typeof pg.types.getTypeParser

// numeric and int8 are text already; their arrays would pass through a float.
const getTypeParser: GetTypeParser = (oid: number, format?: 'text' | 'binary') => {
  const exact = oid === NUMERIC_ARRAY || oid === INT8_ARRAY ? TEXT_ARRAY : oid
  return format === 'binary'
    ? pg.types.getTypeParser(exact, 'binary')
    : pg.types.getTypeParser(exact, 'text')
}

/** How values leave PostgreSQL: int8, numeric and arrays of them as text, never through a float. */
export const exactTypes = { getTypeParser }
