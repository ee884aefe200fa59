import { mkdir } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataPaths } from '@florin/cli/data-paths.ts'
import { readOwner } from '@florin/cli/owner-file.ts'
import { processesOf, startFlorin } from './actors/florin.ts'
import type { FlorinHandle } from './actors/florin.ts'

let florin: FlorinHandle
beforeAll(async () => {
  florin = await startFlorin()
})
afterAll(() => florin.discard())

test('florin up leaves nothing behind, also where it cannot write that it stops', async () => {
  const { owner } = dataPaths(florin.dataDirectory)
  const runs = await readOwner(owner)
  // Where the new file would be written, as a full disk or a lack of file descriptors keeps it from being.
  await mkdir(`${owner}.new-${runs?.pid}`)
  expect(await florin.stop()).toBe(0)
  expect(florin.stderr()).toContain('nobody is told that this stops')
  expect(await processesOf(florin.dataDirectory)).toEqual([])
})
