import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sourceTag } from '@florin/dashboard/build/source-tag.ts'
import { expect, onTestFinished, test } from 'vitest'
import { ownDashboard } from './dashboard-pages.ts'

test('a service whose own build is gone before it was asked for serves the one that was made since', async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'florin-pages-'))
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }))
  const tag = await sourceTag()
  const built = join(dataDirectory, 'dashboard', tag)
  await mkdir(built, { recursive: true })
  await writeFile(join(built, 'index.html'), '<!doctype html>')
  const files = { 'index.html': { type: 'text/html', hashed: false, encodings: [] } }
  await writeFile(join(built, 'files.json'), JSON.stringify({ tag, files }))
  const pages = ownDashboard({
    dataDirectory,
    tag: async () => '0'.repeat(16),
    state: () => 'building',
  })
  const asked = { accept: [], acceptEncoding: [], ifNoneMatch: [] }
  const { status, headers } = await pages.read({ path: '/dashboard', ...asked })
  expect([status, headers['etag']]).toEqual([200, `"${tag}"`])
})
