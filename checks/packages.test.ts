import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { licenceAllowed, lockProblems, looseVersions } from './packages.ts'
import { isRecord } from './record.ts'
import { repositoryFiles } from './source.ts'
import { root } from './tool.ts'

function json(text: string) {
  const value: unknown = JSON.parse(text)
  if (!isRecord(value)) throw new Error('not an object')
  return value
}

test('rule: every dependency is pinned to one exact version', () => {
  const manifests = repositoryFiles().filter(({ path }) => /(^|\/)package\.json$/.test(path))
  expect(manifests.length).toBeGreaterThan(1)
  expect(manifests.flatMap(({ path, text }) => looseVersions(path, json(text)))).toEqual([])
})

test('rule: the lock file has checksums, no addresses, allowed licences and no unknown scripts', () => {
  expect(lockProblems(json(readFileSync(join(root, 'package-lock.json'), 'utf8')))).toEqual([])
})

test('rule: scripts of packages never run, new versions are saved exactly, the lock file names no host', () => {
  const settings = readFileSync(join(root, '.npmrc'), 'utf8').split('\n')
  for (const setting of [
    'ignore-scripts=true',
    'save-exact=true',
    'omit-lockfile-registry-resolved=true',
  ]) {
    expect(settings).toContain(setting)
  }
})

test('ranges and tags are not exact versions', () => {
  const dependencies = { a: '^1.0.0', b: 'latest', c: '1.x', d: '1.0.0', e: '18.4.0-beta.17' }
  expect(looseVersions('package.json', { dependencies, devDependencies: { f: '~2.0.0' } })).toEqual(
    [
      'package.json: a is "^1.0.0", not one exact version',
      'package.json: b is "latest", not one exact version',
      'package.json: c is "1.x", not one exact version',
      'package.json: f is "~2.0.0", not one exact version',
    ],
  )
})

test('licences: one allowed side of OR is enough, AND needs both', () => {
  expect(licenceAllowed('(MIT OR GPL-3.0)')).toBe(true)
  expect(licenceAllowed('MIT AND BSD-3-Clause')).toBe(true)
  expect(licenceAllowed('MIT AND GPL-3.0')).toBe(false)
  expect(licenceAllowed('AGPL-3.0')).toBe(false)
  expect(licenceAllowed('none')).toBe(false)
})

test('each fault of a lock file entry is found', () => {
  const sound = { integrity: 'sha512-x', license: 'MIT' }
  const packages = {
    '': {},
    wire: {},
    'node_modules/@florin/wire': { resolved: 'wire', link: true },
    'node_modules/a': { ...sound, resolved: 'https://example.com/a.tgz' },
    'node_modules/b': { license: 'MIT' },
    'node_modules/c': { ...sound, license: 'GPL-3.0' },
    'node_modules/d': { ...sound, license: 'GPL-3.0', dev: true },
    'node_modules/e/node_modules/f': { ...sound, hasInstallScript: true },
    'node_modules/@oxlint/binding-darwin-x64': { license: 'MIT', dev: true, optional: true },
    'node_modules/@oxlint/binding-linux-x64-gnu': { license: 'MIT', dev: true, optional: true },
    'node_modules/secp256k1': { ...sound, hasInstallScript: true },
  }
  expect(lockProblems({ packages })).toEqual([
    'node_modules/a: has an address',
    'node_modules/b: has no integrity',
    'node_modules/c: licence GPL-3.0',
    'node_modules/e/node_modules/f: wants to run a script at installation',
    'node_modules/@oxlint/binding-linux-x64-gnu: has no integrity',
  ])
})
