import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { until } from '@florin/server/kernel/until.ts'
import { writeOwner } from '../owner-file.ts'
import { identify } from '../process-identity.ts'
import { writeObject } from '../small-json.ts'
import { claimDataDirectory } from './claim.ts'
import { takeLock } from './lock.ts'

let directory: string
let lock: string
let owner: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'florin-claim-'))
  lock = join(directory, 'lock')
  owner = join(directory, 'owner.json')
})
const held: ChildProcess[] = []
afterEach(async () => {
  for (const child of held.splice(0)) child.kill('SIGKILL')
  await rm(directory, { recursive: true })
})

/** Another process that holds the lock, as its only purpose. */
async function holdElsewhere() {
  const script = `import { takeLock } from ${JSON.stringify(import.meta.resolve('./lock.ts'))}
    globalThis.kept = takeLock(${JSON.stringify(lock)}); console.log('held'); setInterval(() => {}, 1000)`
  const options = ['--input-type=module-typescript', '-e', script]
  const child = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] })
  held.push(child)
  await once(child.stdout, 'data')
  const self = await identify(child.pid ?? 0)
  const say = (facts: object) => writeObject(owner, { ...self, launchers: [], ...facts })
  const end = async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { say, end, pid: child.pid }
}

const claim = (waits: string[] = [], signal = new AbortController().signal) =>
  claimDataDirectory({
    lock,
    owner,
    clock: systemClock,
    signal,
    onWait: (reason) => waits.push(reason),
  })

test('a free directory is taken, and nobody else can take it until it is given back', async () => {
  const first = await claim()
  expect(first.ok).toBe(true)
  expect(takeLock(lock)).toBeUndefined()
  if (first.ok) first.lock.release()
  takeLock(lock)?.release()
  expect((await claim()).ok).toBe(true)
})

test('a live owner is a refusal at once, with its address', async () => {
  const other = await holdElsewhere()
  await other.say({ state: 'ready', baseUrl: 'http://127.0.0.1:1' })
  const waits: string[] = []
  expect(await claim(waits)).toMatchObject({
    ok: false,
    owner: { pid: other.pid, baseUrl: 'http://127.0.0.1:1' },
  })
  expect(waits).toEqual([])
  await other.end()
})

test('an owner that is killed leaves no lock, whatever its file says', async () => {
  const other = await holdElsewhere()
  await other.say({ state: 'ready', baseUrl: 'http://127.0.0.1:1' })
  await other.end()
  expect((await claim()).ok).toBe(true)
})

test.each([
  ['says that it is stopping', { state: 'stopping' }],
  ['lost its launcher', { state: 'ready', launchers: [{ pid: 4_194_300, startedAt: '1' }] }],
])('an owner that %s is waited for', async (_, facts) => {
  const other = await holdElsewhere()
  await other.say({ baseUrl: 'http://127.0.0.1:1', ...facts })
  const waits: string[] = []
  const claimed = claim(waits)
  await until(
    'it says why it waits',
    () => waits.includes('waiting for the florin before this one to end'),
    { seconds: 30 },
  )
  await other.end()
  expect((await claimed).ok).toBe(true)
})

test('an owner that is starting is waited for until it has an address to name', async () => {
  const other = await holdElsewhere()
  await other.say({ state: 'starting', baseUrl: null })
  const waits: string[] = []
  const claimed = claim(waits)
  await until('it says why it waits', () => waits.includes('another florin is starting here'), {
    seconds: 30,
  })
  await other.say({ state: 'ready', baseUrl: 'http://127.0.0.1:2' })
  expect(await claimed).toMatchObject({ ok: false, owner: { baseUrl: 'http://127.0.0.1:2' } })
  await other.end()
})

test('a wait ends when it is told to', async () => {
  const other = await holdElsewhere()
  await other.say({ state: 'stopping' })
  const stop = new AbortController()
  const claimed = claim([], stop.signal)
  stop.abort()
  expect((await claimed).ok).toBe(false)
  await other.end()
})

test('the owner file names this very process', async () => {
  await writeOwner(owner, { state: 'ready', baseUrl: null, launchers: [] })
  const held = takeLock(lock)
  const claimed = claim()
  await writeOwner(owner, { state: 'ready', baseUrl: 'http://here', launchers: [] })
  expect(await claimed).toMatchObject({ ok: false, owner: await identify(process.pid) })
  held?.release()
})
