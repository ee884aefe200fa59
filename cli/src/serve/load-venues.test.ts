import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadVenues } from './load-venues.ts'

/** A module in a file of its own; what it notes shows that it was loaded. */
function fileOf(text: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'florin-venues-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'index.mjs')
  writeFileSync(file, text)
  return file
}
const exporting = (name: string, api = 1) =>
  `export const venue = { api: ${api}, name: '${name}', program: '11111111111111111111111111111112',
    networks: ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'], open: () => ({}) }`

test('nothing is loaded that is not listed', async () => {
  expect(await loadVenues([])).toEqual({ modules: [], problems: [] })
})

test('what is listed is loaded', async () => {
  const { modules, problems } = await loadVenues([
    fileOf(exporting('one')),
    fileOf(exporting('two')),
  ])
  expect(problems).toEqual([])
  expect(modules.map(({ name }) => name)).toEqual(['one', 'two'])
})

test('everything that is wrong is told at once, each with its name', async () => {
  const files = [
    '/nowhere/index.mjs',
    'no-such-package-anywhere',
    fileOf('export const market = {}'),
    fileOf(exporting('old', 0)),
    fileOf("throw new Error('it does not start\\nat all')"),
    fileOf(exporting('same')),
    fileOf(exporting('same')),
  ]
  const { modules, problems } = await loadVenues(files)
  expect(modules.map(({ name }) => name)).toEqual(['same'])
  const said = [
    'cannot be loaded: ',
    'cannot be loaded: ',
    'exports no "venue"',
    'is written for version 0; this is version 1',
    'cannot be loaded: it does not start.',
    'has the name "same", which another one has',
  ]
  const named = files.filter((_, at) => at !== 5)
  expect(problems).toHaveLength(said.length)
  for (const [at, { what }] of problems.entries()) {
    expect(what).toContain(`FLORIN_VENUES: ${named[at]} ${said[at]}`)
  }
})

test("the repository's own one is a module", async () => {
  const { modules, problems } = await loadVenues([
    new URL('../../../plugins/pump/venue.ts', import.meta.url).pathname,
  ])
  expect(problems).toEqual([])
  expect(modules).toMatchObject([{ name: 'pump', api: 1 }])
})
