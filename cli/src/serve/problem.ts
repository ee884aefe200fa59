/** Why production does not start, and the way on. */
export interface Problem {
  readonly what: string
  /** What to do next, as a sentence to a person. */
  readonly next: string
}

/** sysexits.h EX_CONFIG: starting again without a change is pointless, and supervisors can be told so. */
export const CONFIGURATION_EXIT_CODE = 78

/** All problems at once, numbered, each with its way on. */
export function problemText(problems: readonly Problem[]): string {
  const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`
  return [
    `florin: this configuration is not fit for production: ${count}. Nothing was started.`,
    ...problems.flatMap(({ what, next }, index) => [` ${index + 1}. ${what}`, `    ${next}`]),
    'docs/operating/production.md goes through all of it in order.',
    '',
  ].join('\n')
}
