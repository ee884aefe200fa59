/** Why production does not start, and the way on. */
export interface Problem {
  readonly what: string
  /** What to do next, as a sentence to a person. */
  readonly next: string
}

/** sysexits.h EX_CONFIG: starting again without a change is pointless, and supervisors can be told so. */
export const CONFIGURATION_EXIT_CODE = 78

/** All problems at once, numbered, each with its way on; and beside them what keeps nothing from starting and may explain one. */
export function problemText(problems: readonly Problem[], remarks: readonly string[] = []): string {
  const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`
  return [
    `florin: this configuration is not fit for production: ${count}. Nothing was started.`,
    ...problems.flatMap(({ what, next }, index) => [` ${index + 1}. ${what}`, `    ${next}`]),
    ...remarks.map((remark) => ` And: ${remark}`),
    'docs/operating/production.md goes through all of it in order.',
    '',
  ].join('\n')
}
