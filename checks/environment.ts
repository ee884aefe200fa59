import { isCode, isTest } from './source.ts'
import type { SourceFile } from './source.ts'
import { tokens } from './tokens.ts'

/** Set by our own programs for each other, never by an operator: name -> who sets it. */
const INTERNAL: Readonly<Record<string, string>> = {
  FLORIN_LAUNCHER_FD: 'bin/florin.js, so that the service ends with its launcher',
  FLORIN_TEST_FULL: 'checks/run-tests.ts --full',
}
/** Of callers and their commands, not of the service; `florin env` exports them: name -> where they are explained. */
const OF_CALLERS: Readonly<Record<string, string>> = {
  FLORIN_BASE_URL: 'docs/guides/command-line.md',
  FLORIN_API_KEY: 'docs/guides/command-line.md',
  FLORIN_API_KEY_PREMIUM: 'docs/guides/trading.md',
  FLORIN_EVM_RPC_URL: 'docs/guides/own-wallet.md',
  FLORIN_EVM_USDC: 'docs/guides/own-wallet.md',
  FLORIN_SOLANA_RPC_URL: 'docs/guides/own-wallet.md',
}
const LINE = /^([A-Z][A-Z0-9_]*)=(.*)$/

/** The variables of an .env file in order; a line that is neither comment, blank nor NAME=value is a problem. */
export function parseEnvExample(text: string): {
  readonly names: readonly string[]
  readonly problems: readonly string[]
} {
  const lines = text.split('\n').map((line, index) => ({ line, at: index + 1 }))
  const content = lines.filter(({ line }) => line.trim() !== '' && !line.startsWith('#'))
  return {
    names: content.flatMap(({ line }) => LINE.exec(line)?.[1] ?? []),
    problems: content
      .filter(({ line }) => !LINE.test(line))
      .map(({ line, at }) => `.env.example:${at}: not NAME=value: ${line}`),
  }
}

/** Variables of ours that documents and examples name, whatever for, each once. */
export function namedVariables(files: readonly SourceFile[]): readonly string[] {
  const read = files.filter(({ path }) => /\.(md|yaml|example)$|^examples\//.test(path))
  const names = read.flatMap(({ text }) => text.match(/\bFLORIN_[A-Z0-9_]*[A-Z0-9]\b/g) ?? [])
  return [...new Set(names)].toSorted()
}

/** Variables of ours that code names although .env.example does not explain them. */
export function unexplainedVariables(
  explained: readonly string[],
  files: readonly SourceFile[],
): readonly string[] {
  return files
    .filter((file) => isCode(file) && !isTest(file))
    .flatMap(({ path, text }) =>
      tokens(text)
        .filter((token) => /^FLORIN_[A-Z_]+$/.test(token.text))
        .filter((token) => !explained.includes(token.text) && !(token.text in INTERNAL))
        .filter((token) => !(token.text in OF_CALLERS))
        .map((token) => `${path}:${token.line}: ${token.text} is not in .env.example`),
    )
}
