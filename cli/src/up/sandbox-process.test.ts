import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { startSandboxProcess } from './sandbox-process.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'florin-sandbox-process-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const start = (directory: string, onSpawned: (pid: number) => Promise<void>) =>
  startSandboxProcess({
    directory,
    evmPort: 0,
    solanaPort: 0,
    faults: false,
    log: openLog('silent'),
    clock: systemClock,
    onSpawned,
  })

test('a sandbox that dies before it is ready was told of, and says that it did not start', async () => {
  const file = join(folder, 'a-file')
  await writeFile(file, '')
  const told: number[] = []
  const started = start(file, async (pid) => void told.push(pid))
  await expect(started).rejects.toThrow('the sandbox did not start')
  expect(told).toHaveLength(1)
})
