import { spawnSync } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemNode } from '../e2e/actors/system-node.ts'
import { root } from './tool.ts'

const TIMEOUT_MILLISECONDS = 20_000
/** What glibc's loader does with a Node 26 on a slim Debian. */
const WITHOUT_LIBRARY = `#!/bin/sh
echo 'node: error while loading shared libraries: libatomic.so.1: cannot open shared object file: No such file or directory' >&2
exit 127
`

let place: string
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'florin-cannot-start-'))
})
afterEach(() => rm(place, { recursive: true, force: true }))

async function installNode(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, WITHOUT_LIBRARY)
  await chmod(path, 0o755)
}

function run(program: string, args: readonly string[], path = process.env['PATH']) {
  const { status, stderr } = spawnSync(program, args, {
    cwd: root,
    env: { ...process.env, PATH: path },
    encoding: 'utf8',
    timeout: TIMEOUT_MILLISECONDS,
  })
  return { status, stderr }
}

describe('on a machine without a library that the pinned Node needs', () => {
  test.each(['start', 'test'])('npm %s names it and the package that brings it', async (script) => {
    await installNode(join(place, 'node'))
    const manifest = await readFile(join(root, 'package.json'), 'utf8')
    const command = new RegExp(`"${script}": "([^"\\\\]*)"`).exec(manifest)?.[1] ?? ''
    const { status, stderr } = run('/bin/sh', ['-c', command], `${place}:${process.env['PATH']}`)
    expect(status).toBe(1)
    expect(stderr).toContain('libatomic.so.1: cannot open shared object file')
    expect(stderr).toContain('apt-get install libatomic1')
  })

  const node = systemNode()
  test.skipIf(node === undefined)('so does the launcher under a system Node', async () => {
    await mkdir(join(place, 'bin'))
    await writeFile(join(place, 'package.json'), '{"type":"module"}')
    await copyFile(join(root, 'bin', 'florin.js'), join(place, 'bin', 'florin.js'))
    const runtime = join(place, 'node_modules', `node-linux-${process.arch}`)
    await installNode(join(runtime, 'bin', 'node'))
    await writeFile(join(runtime, 'package.json'), '{}')
    const { status, stderr } = run(node ?? '', [join(place, 'bin', 'florin.js'), 'wallets'])
    expect(status).toBe(1)
    expect(stderr).toContain('florin: the Node 26 that comes with the project does not start')
    expect(stderr).toContain('apt-get install libatomic1')
  })
})
