import { createHash } from 'node:crypto'
import type { ServedFile } from '../http/file-tree.ts'

/** What is known of a build that is not there. */
export type BuildState = 'building' | 'failed' | 'absent'

const RELOAD_SECONDS = 1

const COMMAND = '"node bin/florin.js exec dashboard/build/main.ts"'

const SAYS: Readonly<Record<BuildState, { readonly title: string; readonly text: string }>> = {
  building: {
    title: 'The dashboard is being built',
    text: 'This happens once after an installation and takes some seconds. The page comes by itself. The API answers already.',
  },
  failed: {
    title: 'The dashboard could not be built',
    text: `The log says why. ${COMMAND} in the folder of the installation tries again. The API answers as usual.`,
  },
  absent: {
    title: 'The dashboard is not built',
    text: `${COMMAND} in the folder of the installation builds it, once. The API answers as usual.`,
  },
}

/**
 * By a script, since a browser that is told to refresh an address with a fragment goes nowhere: and the link that signs in is one. Who runs no
 * scripts is told to refresh.
 */
const RELOAD = `setTimeout(() => location.reload(), ${RELOAD_SECONDS * 1000})`
const RELOAD_TAGS = `<script>${RELOAD}</script>
<noscript><meta http-equiv="refresh" content="${RELOAD_SECONDS}"></noscript>`
const RELOAD_DIGEST = createHash('sha256').update(RELOAD).digest('base64')
const POLICY = `default-src 'none'; script-src 'sha256-${RELOAD_DIGEST}'; frame-ancestors 'none'`

/** What is shown in place of every page until there is a build. While one is made it asks again by itself. */
export function notBuiltPage(state: BuildState): ServedFile {
  const { title, text } = SAYS[state]
  const reload = state === 'building' ? RELOAD_TAGS : ''
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${reload}
<title>${title}</title>
</head>
<body><main><h1>${title}</h1><p>${text.replaceAll('"', '&quot;')}</p></main></body>
</html>
`
  return {
    status: 503,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'retry-after': String(RELOAD_SECONDS),
    },
    bytes: Buffer.from(html),
  }
}
