import type { SourceFile } from './source.ts'

export type Catalogue = Readonly<Record<string, { readonly status: number }>>

/** What the page of a code says that nothing answers: it is kept for clients, since a code is never taken back. */
const RESERVED = 'no operation of the API gives it today'
/** The edge names codes only to say what follows from them. */
const EDGE = 'server/src/http/problem.ts'

/** Codes that the service's own code never names, with a page that speaks as if they were answered. */
export function unansweredCodes(
  catalogue: Catalogue,
  files: readonly SourceFile[],
): readonly string[] {
  const sources = files.filter(
    ({ path }) => /^server\/src\/.*(?<!\.test)\.ts$/.test(path) && path !== EDGE,
  )
  return Object.keys(catalogue).flatMap((code) => {
    const page = files.find(({ path }) => path === `docs/errors/${code}.md`)?.text
    if (page === undefined || page.replaceAll(/\s+/g, ' ').includes(RESERVED)) return []
    if (sources.some(({ text }) => text.includes(`'${code}'`))) return []
    return [`docs/errors/${code}.md: nothing answers it, so the page says "${RESERVED}"`]
  })
}

const PAGE = /^docs\/errors\/([^/]+)\.md$/

/** Codes without a page, pages without a code, and pages that do not begin with their code or never name its status. */
export function errorDocProblems(
  catalogue: Catalogue,
  files: readonly SourceFile[],
): readonly string[] {
  const pages = new Map(
    files.flatMap(({ path, text }) => {
      const name = PAGE.exec(path)?.[1]
      return name === undefined ? [] : [[name, text]]
    }),
  )
  const stray = [...pages.keys()]
    .filter((name) => !(name in catalogue))
    .map((name) => `docs/errors/${name}.md: there is no such code`)
  const wrong = Object.entries(catalogue).flatMap(([code, { status }]) => {
    const text = pages.get(code)
    if (text === undefined) return [`docs/errors/${code}.md is missing`]
    const problems: string[] = []
    if (!text.startsWith(`# ${code}\n`)) problems.push(`begins with "# ${code}"`)
    if (!text.includes(String(status))) problems.push(`names its status ${status}`)
    return problems.map((rule) => `docs/errors/${code}.md: ${rule}`)
  })
  return [...stray, ...wrong]
}
