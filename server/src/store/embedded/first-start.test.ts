import { once } from 'node:events'
import { chmod, chown, mkdir, readFile, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../kernel/until.ts'
import { newTestDirectory, removeTestDirectory } from '../test-runs.ts'
import { pickUnprivileged, unprivilegedUser } from './run-as.ts'
import { startPostgres } from './start-postgres.ts'
import { ask, copyPackage, forTests, readyElsewhere, startElsewhere } from './test-starts.ts'

const root = process.getuid?.() === 0

async function newDirectory(on: 'disk' | 'memory'): Promise<string> {
  const directory = await newTestDirectory(on)
  onTestFinished(() => removeTestDirectory(directory))
  return directory
}

test('a start killed while it makes the database leaves nothing half-made', async () => {
  const directory = await newDirectory('disk')
  const staging = async () =>
    (await readdir(directory)).find((name) => /^cluster\.new-.{6}$/.test(name))
  const halfWay = async () => {
    const inside = join(directory, (await staging()) ?? 'none')
    return (await readdir(inside).catch((): string[] => [])).find((name) => name === 'global')
  }
  for (const moment of [staging, halfWay]) {
    const child = startElsewhere([directory])
    await until(`initdb has reached ${moment.name}`, moment, { seconds: 60 })
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await readdir(directory)).not.toContain('cluster')
  }
  const postgres = await startPostgres({ directory, ...forTests })
  expect(await ask(postgres.ownerUrl, 'select 1 as one')).toEqual([{ one: 1 }])
  await postgres.stop()
})

test('two starts at once share binaries whose library links are still missing', async () => {
  const shared = await newDirectory('disk')
  const binaries = join(shared, 'package')
  await copyPackage(binaries)
  const directories = [await newDirectory('memory'), await newDirectory('memory')]
  const both = await Promise.all(
    directories.map((directory) =>
      startPostgres({ directory, ...forTests, packageDirectory: binaries }),
    ),
  )
  for (const { ownerUrl } of both) {
    expect(await ask(ownerUrl, 'select 1 as one')).toEqual([{ one: 1 }])
  }
  await Promise.all(both.map(({ stop }) => stop()))
  const libraries = await readdir(join(binaries, 'native', 'lib'))
  expect(libraries.filter((name) => name.startsWith('.'))).toEqual([])
})

test.runIf(root)('binaries that we may not write are copied to the data directory', async () => {
  const user = await unprivilegedUser()
  if (user === null) throw new Error('only root has someone to step down to')
  const shared = await newDirectory('disk')
  const binaries = join(shared, 'package')
  await copyPackage(binaries)
  const directory = await newDirectory('disk')
  await chown(directory, user.uid, user.gid)
  const child = startElsewhere([directory, binaries], user)
  const { ownerUrl } = await readyElsewhere(child)
  expect(await ask(ownerUrl, 'select 1 as one')).toEqual([{ one: 1 }])
  child.kill('SIGTERM')
  await once(child, 'exit')
  expect((await readdir(directory)).filter((name) => name.startsWith('postgresql-'))).toHaveLength(
    1,
  )
})

test.runIf(root)('root starts it from a checkout and data directory in a closed home', async () => {
  const closed = await newDirectory('disk')
  await chmod(closed, 0o700)
  const binaries = join(closed, 'package')
  await copyPackage(binaries)
  const directory = join(closed, 'data', 'postgres')
  await mkdir(directory, { recursive: true })
  const start = () => startPostgres({ directory, ...forTests, packageDirectory: binaries })

  const first = await start()
  const text = await readFile(join(directory, 'place.json'), 'utf8')
  expect(text).toContain('"settled":true')
  const home = /"home":"([^"]+)"/.exec(text)?.[1] ?? ''
  expect(home.startsWith(closed)).toBe(false)
  await ask(first.ownerUrl, "create table kept as select 'word' as word")
  process.kill(first.pid, 'SIGKILL')
  await first.exited

  await mkdir(join(home, 'postgresql-18.0.0-superseded'))
  const second = await start()
  expect(await ask(second.ownerUrl, 'select word from kept')).toEqual([{ word: 'word' }])
  await second.stop()
  const copies = (await readdir(home)).filter((name) => name.startsWith('postgresql-'))
  expect(copies).toHaveLength(1)
  expect((await stat(join(home, 'cluster'))).uid).not.toBe(0)

  await rm(home, { recursive: true })
  await expect(start()).rejects.toThrow('is not there any more')
})

test('the unprivileged user is nobody, or whoever /etc/passwd has', () => {
  const rootLine = 'root:x:0:0:root:/root:/bin/bash\n'
  const nobody = 'nobody:x:99:98::/:/sbin/nologin\n'
  expect(pickUnprivileged(`${rootLine}daemon:x:1:1::/:/bin/sh\n${nobody}`)).toEqual({
    uid: 99,
    gid: 98,
  })
  expect(pickUnprivileged(`${rootLine}node:x:1000:1000::/:/bin/sh\n`)).toEqual({
    uid: 1000,
    gid: 1000,
  })
  expect(pickUnprivileged(rootLine)).toEqual({ uid: 65_534, gid: 65_534 })
})
