import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '@florin/server/config.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readProductionKey } from './key-problems.ts'

let place: string
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'florin-key-'))
})
afterEach(() => rm(place, { recursive: true, force: true }))

test('a key that is there and cannot be read says why, and nobody is told to make another', async () => {
  const keyFile = join(place, 'master.key')
  // What root cannot read either: a link to itself.
  await symlink(keyFile, keyFile)
  const read = readConfig({ FLORIN_KEY_FILE: keyFile })
  if (!read.ok) throw new Error('the settings are not fit')
  const { problems } = await readProductionKey(read.config)
  expect(problems).toEqual([
    {
      what: `FLORIN_KEY_FILE: ${keyFile} cannot be read (ELOOP).`,
      next: `It has to belong to the user that runs this, with mode 0600: ls -l ${keyFile}`,
    },
  ])
})
