import { execFileSync } from 'node:child_process'
import { property, string, assert as forAll } from 'fast-check'
import { expect, test } from 'vitest'
import { shellQuoted } from './env.ts'

const readBack = (text: string) =>
  execFileSync('sh', ['-c', `printf %s ${shellQuoted(text)}`], { encoding: 'utf8' })

test('a shell reads every quoted text back as it was, and runs none of it', () => {
  for (const text of [`'`, `'; rm -rf "$HOME"; '`, '$(id)', '`id`', 'a\nb', '\\', '!!', '-n']) {
    expect(readBack(text)).toBe(text)
  }
  const text = string({ unit: 'binary-ascii', maxLength: 20 }).filter(
    (made) => !made.includes('\0'),
  )
  forAll(
    property(text, (made) => readBack(made) === made),
    { numRuns: 50 },
  )
})
