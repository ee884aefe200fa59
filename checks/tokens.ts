import { SyntaxKind } from 'typescript/unstable/ast'
import { createScanner } from 'typescript/unstable/ast/scanner'

/** A piece of code without comments. A string's text is its value, quotes and escapes resolved. */
export interface Token {
  readonly kind: 'string' | 'template' | 'word' | 'sign'
  readonly text: string
  readonly line: number
  /** Of a template: the whole, or its text before, between and after the holes. */
  readonly part?: 'whole' | 'head' | 'middle' | 'tail'
}

const TEMPLATE_PARTS: ReadonlyMap<SyntaxKind, NonNullable<Token['part']>> = new Map([
  [SyntaxKind.NoSubstitutionTemplateLiteral, 'whole'],
  [SyntaxKind.TemplateHead, 'head'],
  [SyntaxKind.TemplateMiddle, 'middle'],
  [SyntaxKind.TemplateTail, 'tail'],
])
/** After one of these a slash divides; after anything else it begins a regular expression. */
const ENDS_A_VALUE = new Set<SyntaxKind>([
  SyntaxKind.Identifier,
  SyntaxKind.NumericLiteral,
  SyntaxKind.BigIntLiteral,
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
  SyntaxKind.ThisKeyword,
])

function kindOf(token: SyntaxKind, text: string): Token['kind'] {
  if (token === SyntaxKind.StringLiteral) return 'string'
  if (TEMPLATE_PARTS.has(token)) return 'template'
  return /^[\p{ID_Start}$_#]/u.test(text) ? 'word' : 'sign'
}

/** Splits code with TypeScript's own scanner, so that comments and regular expressions never look like code. */
export function tokens(code: string): readonly Token[] {
  const scanner = createScanner(/* skipTrivia */ true)
  const scanned = code.replace(/^#!.*/, '')
  scanner.setText(scanned)
  const found: Token[] = []
  const braces: ('plain' | 'template')[] = []
  let line = 1
  let counted = 0
  let previous: SyntaxKind = SyntaxKind.Unknown
  for (;;) {
    let token = scanner.scan()
    if (token === SyntaxKind.EndOfFile) return found
    if (
      (token === SyntaxKind.SlashToken || token === SyntaxKind.SlashEqualsToken) &&
      !ENDS_A_VALUE.has(previous)
    ) {
      token = scanner.reScanSlashToken()
    }
    if (token === SyntaxKind.OpenBraceToken) braces.push('plain')
    if (token === SyntaxKind.TemplateHead) braces.push('template')
    if (token === SyntaxKind.CloseBraceToken && braces.pop() === 'template') {
      token = scanner.reScanTemplateToken(false)
      if (token === SyntaxKind.TemplateMiddle) braces.push('template')
    }
    const start = scanner.getTokenStart()
    for (; counted < start; counted += 1) if (scanned[counted] === '\n') line += 1
    const raw = scanner.getTokenText()
    const kind = kindOf(token, raw)
    const text = kind === 'string' || kind === 'template' ? scanner.getTokenValue() : raw
    const part = TEMPLATE_PARTS.get(token)
    found.push({ kind, text, line, ...(part === undefined ? {} : { part }) })
    previous = token
  }
}
