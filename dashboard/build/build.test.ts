import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildPages } from './build-pages.ts'
import { isBuilt } from './places.ts'
import { sourceTag } from './source-tag.ts'

/** Of everything that Overview runs, as it is sent. */
const OVERVIEW_BYTES_MAX = 250 * 1024

let place: string
let directory: string
let tag: string
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'florin-build-'))
  tag = await sourceTag()
  directory = await buildPages({ place, tag })
})
afterAll(() => rm(place, { recursive: true, force: true }))

const STATIC = /(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g

/** A script and everything that it imports before it runs. */
async function withImports(name: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(name)) return found
  found.add(name)
  const text = await readFile(join(directory, 'assets', name), 'utf8')
  for (const [, other = ''] of text.matchAll(STATIC)) await withImports(other, found)
  return found
}

async function sentBytes(name: string): Promise<number> {
  const path = join(directory, 'assets', name)
  const compressed = await stat(`${path}.gz`).catch(() => undefined)
  return (compressed ?? (await stat(path))).size
}

test('a build is there whole, under the name of its sources, and the draft of it is gone', async () => {
  expect(await readdir(place)).toEqual([tag])
  expect(await isBuilt([place], tag)).toBe(true)
  expect(await isBuilt([place], '0'.repeat(16))).toBe(false)
  expect(await sourceTag()).toBe(tag)
})

test('nothing stands inside the page, and nothing comes from elsewhere', async () => {
  const html = await readFile(join(directory, 'index.html'), 'utf8')
  expect(html).not.toMatch(/<style|style=|<script(?![^>]*src=)|\son\w+=/)
  expect(html).not.toMatch(/(?:src|href)="(?!\/dashboard\/)/)
  const sheets = (await readdir(join(directory, 'assets'))).filter((name) => name.endsWith('.css'))
  for (const sheet of sheets) {
    const text = await readFile(join(directory, 'assets', sheet), 'utf8')
    expect(text).not.toMatch(/@import|url\(["']?(?:https?:)?\/\//)
  }
})

test('what Overview runs is at most 250 KB compressed, and heavy parts are not in the way', async () => {
  const names = await readdir(join(directory, 'assets'))
  const own = (start: string) => {
    const name = names.find((each) => each.startsWith(`${start}-`) && each.endsWith('.js'))
    if (name === undefined) throw new Error(`there is no script ${start}`)
    return name
  }
  const first = await withImports(own('overview'), await withImports(own('index')))
  expect([...first]).not.toContain(own('chart-canvas'))
  expect([...first]).not.toContain(own('keys'))
  const all = await withImports(own('chart-canvas'), first)
  const sizes = await Promise.all([...all].map(sentBytes))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  expect(bytes).toBeGreaterThan(50 * 1024)
  expect(bytes).toBeLessThanOrEqual(OVERVIEW_BYTES_MAX)
})
