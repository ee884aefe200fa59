import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { identify, isRunning } from './process-identity.ts'

test('a process runs under its own identity, and nobody else does', async () => {
  const self = await identify(process.pid)
  expect(self).toMatchObject({ pid: process.pid })
  if (self === undefined) return
  expect(await isRunning(self)).toBe(true)
  expect(await isRunning({ ...self, startedAt: '1' })).toBe(false)
  const { pid } = spawnSync(process.execPath, ['--version'])
  expect(await identify(pid)).toBeUndefined()
})

test('whoever has no file descriptor left does not take a process that runs for one that is gone', () => {
  const program = `
    import { openSync } from 'node:fs'
    import { identify, isRunning } from ${JSON.stringify(new URL('process-identity.ts', import.meta.url).href)}
    const parent = await identify(process.ppid)
    try { for (;;) openSync('/dev/null') } catch {}
    process.stdout.write(await isRunning(parent).then(String, (error) => error.code))`
  const { stdout } = spawnSync(
    'sh',
    ['-c', 'ulimit -n 64 && exec "$0" --input-type=module -e "$1"', process.execPath, program],
    { encoding: 'utf8' },
  )
  expect(stdout).toBe('EMFILE')
})
