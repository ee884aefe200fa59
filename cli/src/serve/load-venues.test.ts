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
const PROGRAMS = ['11111111111111111111111111111112', '11111111111111111111111111111113'] as const
const DEVNET = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
const MAINNET = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
const OPENED = '({ dataBytes: 1, accounts() {}, quote() {}, trade() {}, opens() {}, read() {} })'
interface Written {
  readonly api?: number
  readonly program?: string
  readonly networks?: readonly string[]
  readonly opened?: string
}
const exporting = (
  name: string,
  { api = 1, program = PROGRAMS[0], networks = [DEVNET], opened = OPENED }: Written = {},
) =>
  `export const venue = { api: ${api}, name: '${name}', program: '${program}',
    networks: ${JSON.stringify(networks)}, open: () => ${opened} }`

test('nothing is loaded that is not listed', async () => {
  expect(await loadVenues([])).toEqual({ modules: [], problems: [] })
})

test('what is listed is loaded', async () => {
  const { modules, problems } = await loadVenues([
    fileOf(exporting('one')),
    fileOf(exporting('two', { program: PROGRAMS[1] })),
    fileOf(exporting('three', { networks: [MAINNET] })),
  ])
  expect(problems).toEqual([])
  expect(modules.map(({ name }) => name)).toEqual(['one', 'two', 'three'])
})

test('everything that is wrong is told at once, each with its name', async () => {
  const files = [
    '/nowhere/index.mjs',
    'no-such-package-anywhere',
    fileOf('export const market = {}'),
    fileOf(exporting('old', { api: 0 })),
    fileOf("throw new Error('it does not start\\nat all')"),
    fileOf(exporting('same')),
    fileOf(exporting('same', { program: PROGRAMS[1] })),
    fileOf(exporting('beside', { networks: [MAINNET, DEVNET] })),
    fileOf(exporting('tokens', { program: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' })),
    ...["(() => { throw new Error('it has no key\\nat all') })()", 'undefined', '({})'].map(
      (opened) => fileOf(exporting('closed', { program: PROGRAMS[1], opened })),
    ),
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
    'trades with the program 11111111111111111111111111111112, which another one does, too',
    'takes the program TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA, which is known here',
    'cannot be opened: it has no key.',
    'cannot be opened: ',
    'cannot be opened: what it says of its dataBytes is none.',
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
