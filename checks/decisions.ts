import type { SourceFile } from './source.ts'

const DECISION_LINES_MAX = 40
const HEADINGS = ['## Context', '## Decision', '## Consequences', '## What would change our mind']

/** Decision records without their four headings in order, with a gap in the numbers, or too long to be read. */
export function decisionProblems(files: readonly SourceFile[]): readonly string[] {
  const records = files.filter(({ path }) => path.startsWith('docs/decisions/'))
  return records.flatMap(({ path, text }, index) => {
    const number = String(index).padStart(4, '0')
    const problems: string[] = []
    if (!path.startsWith(`docs/decisions/${number}-`)) problems.push(`is not number ${number}`)
    const title = index === 0 ? '# NNNN ' : `# ${number} `
    if (!text.startsWith(title)) problems.push(`begins with "${title.trim()}" and a sentence`)
    const headings = text.split('\n').filter((line) => line.startsWith('## '))
    if (headings.join() !== HEADINGS.join())
      problems.push(`has the headings ${HEADINGS.join(', ')}`)
    if (text.split('\n').length - 1 > DECISION_LINES_MAX) problems.push('is longer than 40 lines')
    return problems.map((problem) => `${path}: ${problem}`)
  })
}
