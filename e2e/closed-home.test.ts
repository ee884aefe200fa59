import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClient } from './actors/client.ts'
import { startFlorin } from './actors/florin.ts'
import type { FlorinHandle } from './actors/florin.ts'
import { systemNode } from './actors/system-node.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const LEFT_OUT = new Set(['node_modules', '.git', '.florin'])
const IS_ROOT = process.getuid?.() === 0

/** The checkout as a file by file copy; packages as hard links, which a closed directory above them closes as well. */
async function copyCheckout(to: string): Promise<void> {
  await mkdir(join(to, 'node_modules'), { recursive: true })
  for (const name of await readdir(ROOT)) {
    if (!LEFT_OUT.has(name)) await cp(join(ROOT, name), join(to, name), { recursive: true })
  }
  const from = join(ROOT, 'node_modules')
  const into = join(to, 'node_modules')
  const copy = promisify(execFile)
  // Hard links do not leave a file system; then it takes longer.
  await copy('cp', ['-al', `${from}/.`, into]).catch(() => copy('cp', ['-a', `${from}/.`, into]))
}

// Only root has another user run PostgreSQL; anybody else owns what is closed to others, and nothing is different.
describe.skipIf(!IS_ROOT)('as root, with the checkout under a closed home directory', () => {
  let home: string
  let florin: FlorinHandle
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'florin-closed-home-'))
    await chmod(home, 0o700)
    const checkout = join(home, 'florin')
    await copyCheckout(checkout)
    const node = systemNode()
    florin = await startFlorin({
      dataDirectory: join(checkout, '.florin'),
      florin: join(checkout, 'bin', 'florin.js'),
      ...(node === undefined ? {} : { launcherNode: node }),
    })
  })
  afterAll(async () => {
    await florin?.discard()
    await rm(home, { recursive: true, force: true })
  })

  test('florin up starts there and pays', async () => {
    expect((await stat(dirname(dirname(florin.dataDirectory)))).mode & 0o777).toBe(0o700)
    const { baseUrl, apiKeys, wallets } = florin.info
    const reply = await openClient(baseUrl, apiKeys.standard).post('/payment/send', {
      walletAddress: wallets[0]?.address,
      recipientAddress: wallets[1]?.address,
      amount: 0.5,
    })
    expect(reply.body).toMatchObject({ success: true, status: 'confirmed' })
  })

  test('it starts there again, with what it had', async () => {
    const { wallets } = florin.info
    expect(await florin.stop()).toBe(0)
    florin = await florin.restart()
    expect(florin.info.wallets).toEqual(wallets)
  })
})
