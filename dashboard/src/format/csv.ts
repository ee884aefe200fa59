/** Beginnings that a spreadsheet reads as a formula. Source: OWASP, CSV Injection. */
const FORMULA = /^[=+\-@\t\r]/
const NUMBER = /^-?\d+(\.\d+)?$/

/** Rows as comma-separated values, in the form of RFC 4180. A text that a spreadsheet would run is put behind an apostrophe. */
export function csvText(rows: readonly (readonly (string | null)[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

function cell(value: string | null): string {
  const text = value ?? ''
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
