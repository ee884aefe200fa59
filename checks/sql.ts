import { tokens } from './tokens.ts'

export interface Sql {
  readonly line: number
  readonly text: string
}

/** How statements begin. Ours are written in lower case, so that prose is rarely taken for one. */
const BEGINNINGS = [
  String.raw`select\s`,
  String.raw`insert\s+into\s`,
  String.raw`update\s+(only\s+)?\w+\s+((as\s+)?\w+\s+)?set\s`,
  String.raw`delete\s+from\s`,
  String.raw`merge\s+into\s`,
  String.raw`with\s+(recursive\s+)?\w+\s*(\([^)]*\)\s*)?as\s`,
  String.raw`truncate\s`,
  String.raw`lock\s+table\s`,
  String.raw`copy\s+\w+\s`,
  String.raw`(create|alter|drop)\s+(table|index|unique|role|user|database|schema|function|trigger)\s`,
  String.raw`(grant|revoke)\s.*\s(on|to)\s`,
  String.raw`(begin|commit|rollback)\s*(;|$)`,
  String.raw`set\s+(role\s+\w+$|(local|session)\s+[\w.]+\s*(=|to\s))`,
  String.raw`(un)?listen\s+\w+$`,
  String.raw`notify\s+\w+$`,
  String.raw`do\s+\$\$`,
]
const STATEMENT = new RegExp(String.raw`^\s*(--[^\n]*\n\s*)*(${BEGINNINGS.join('|')})`)

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

const NO_ALIAS =
  'on|where|set|join|left|right|inner|cross|full|order|group|using|values|select|limit|for|returning|union'
const ALIAS = String.raw`(?:\s+(?:as\s+)?(?!(?:${NO_ALIAS})\b)\w+)?`
const TABLE_LIST = new RegExp(
  String.raw`\b(?:from|join|into|update|table|truncate|using|references)\s+(?:only\s+|lateral\s+)?` +
    String.raw`((?:"?\w+"?${ALIAS}\s*,\s*)*"?\w+"?)`,
  'gi',
)

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

/** Names of the tables that a migration takes away. */
export function droppedTables(sql: string): readonly string[] {
  return [...sql.matchAll(/^\s*drop table (\w+)/gim)].map(([, name = '']) => name)
}
