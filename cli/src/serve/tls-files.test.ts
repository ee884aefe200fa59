import { generateKeyPairSync } from 'node:crypto'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { testCertificate } from './test-certificate.ts'
import { readTlsFiles } from './tls-files.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'florin-tls-'))
})
afterEach(() => rm(directory, { recursive: true }))

const DAY = 86_400_000

async function read(
  certificate: string | undefined,
  key: string | undefined,
  { publicUrl = null, mode = 0o600 }: { publicUrl?: string | null; mode?: number } = {},
) {
  const files = { certificateFile: join(directory, 'chain'), keyFile: join(directory, 'key') }
  if (certificate !== undefined) await writeFile(files.certificateFile, certificate)
  if (key !== undefined) await writeFile(files.keyFile, key)
  if (key !== undefined) await chmod(files.keyFile, mode)
  const found = await readTlsFiles(files, { publicUrl, now: Date.now() })
  expect(JSON.stringify(found)).not.toContain('PRIVATE KEY')
  return { ...found, text: found.problems.map(({ what }) => what).join('\n') }
}

describe('a certificate and its key', () => {
  test('are taken when they fit, and an early end is told', async () => {
    const { certificate, key } = testCertificate({ host: 'pay.test' })
    const found = await read(certificate, key, { publicUrl: 'https://pay.test' })
    expect(found).toMatchObject({ problems: [], endsSoon: undefined })
    expect(found.identity?.certificate).toBe(certificate)
    const soon = testCertificate({ to: Date.now() + 5 * DAY })
    expect((await read(soon.certificate, soon.key)).endsSoon).toBeDefined()
    const address = testCertificate({ host: '127.0.0.1' })
    const publicUrl = 'https://127.0.0.1:4020'
    expect((await read(address.certificate, address.key, { publicUrl })).problems).toEqual([])
  })

  test.each([
    ['it is over', { to: Date.now() - DAY, from: Date.now() - 2 * DAY }, 'ended on'],
    ['it has not begun', { from: Date.now() + DAY }, 'begins on'],
    ['it is for another host', { host: 'other.test' }, 'not for the host'],
  ] as const)('are refused when %s', async (_, options, said) => {
    const { certificate, key } = testCertificate(options)
    const publicUrl = !('host' in options) ? null : 'https://pay.test'
    const found = await read(certificate, key, { publicUrl })
    expect(found.text).toContain(said)
    expect(found.identity).toBeUndefined()
  })

  test('are refused when they are no pair, and when the key is anybody to read', async () => {
    const found = await read(testCertificate().certificate, testCertificate().key, { mode: 0o644 })
    expect(found.text).toContain('is not the key of the certificate')
    expect(found.text).toContain('read by everybody')
    const grouped = testCertificate()
    expect((await read(grouped.certificate, grouped.key, { mode: 0o640 })).problems).toEqual([])
  })

  test('are refused when a file is missing or holds something else, all at once', async () => {
    expect((await read(undefined, undefined)).problems).toHaveLength(2)
    const { certificate, key } = testCertificate()
    const swapped = await read(key, certificate)
    expect(swapped.text).toMatch(/TLS_CERT holds no certificate.*TLS_KEY holds no private key/s)
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const sealed = privateKey.export({
      format: 'pem',
      type: 'pkcs8',
      cipher: 'aes-256-cbc',
      passphrase: 'canary',
    })
    expect((await read(certificate, sealed)).text).toContain('passphrase')
  })
})
