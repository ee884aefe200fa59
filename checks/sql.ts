import { tokens } from './tokens.ts'

export interface Sql {
  readonly line: number
  readonly text: string
}

/** How a statement begins. Ours is written in lower case, so that prose is rarely taken for one. */
const STATEMENT =
  /^\s*(--[^\n]*\n\s*)*(select\s|insert\s+into\s|update\s+(only\s+)?\w+\s+((as\s+)?\w+\s+)?set\s|delete\s+from\s|merge\s+into\s|with\s+(recursive\s+)?\w+\s*(\([^)]*\)\s*)?as\s|truncate\s|lock\s+table\s|copy\s+\w+\s|(create|alter|drop)\s+(table|index|unique|role|user|database|schema|function|trigger|type|view|extension)\s|(grant|revoke)\s.*\s(on|to)\s|begin\b(;|$)|commit$|rollback$|set\s+(role\s+\w+$|(local|session)\s+[\w.]+\s*(=|to\s))|(un)?listen\s|notify\s|do\s+\$\$)/

/** The SQL statements in a piece of code; the holes of a template read as spaces. */
export function statements(code: string): readonly Sql[] {
  const texts: { line: number; text: string }[] = []
  const open: { line: number; text: string }[] = []
  for (const { kind, text, line, part } of tokens(code)) {
    if (kind === 'string' || part === 'whole') texts.push({ line, text })
    else if (part === 'head') open.push({ line, text })
    else if (part !== undefined) {
      const current = open.at(-1)
      if (current !== undefined) current.text += ` ${text}`
      if (part === 'tail' && current !== undefined) texts.push(...open.splice(-1))
    }
  }
  return texts
    .filter(({ text }) => STATEMENT.test(text))
    .sort((left, right) => left.line - right.line)
}

const TABLE_LIST =
  /\b(?:from|join|into|update|table|truncate|using|references)\s+(?:only\s+|lateral\s+)?((?:"?\w+"?(?:\s+(?:as\s+)?(?!(?:on|where|set|join|left|right|inner|cross|full|order|group|using|values|select|limit|for|returning|union)\b)\w+)?\s*,\s*)*"?\w+"?)/gi

/** The words at the places of a statement where a table stands. Names of CTEs and functions are among them. */
export function tablesOf(sql: string): ReadonlySet<string> {
  const found = new Set<string>()
  for (const [, list = ''] of sql.matchAll(TABLE_LIST)) {
    for (const item of list.split(',')) {
      const [name] = item.trim().split(/\s+/)
      if (name !== undefined) found.add(name.replaceAll('"', '').toLowerCase())
    }
  }
  return found
}

/** The tables that a migration makes. */
export function createdTables(sql: string): readonly string[] {
  return [...sql.matchAll(/^\s*create table (?:if not exists )?(\w+)/gim)].map(
    ([, name = '']) => name,
  )
}
