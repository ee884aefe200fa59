import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemNode } from '../e2e/actors/system-node.ts'
import { writePackage } from './write-package.ts'
import { answer, lost, openTestService, TEST_KEY } from './src/test-service.ts'

const COMPILER = join(import.meta.dirname, '..', 'node_modules', 'typescript', 'bin', 'tsc')
const TYPE_ROOT = join(import.meta.dirname, '..', 'node_modules', '@types')
const place = mkdtempSync(join(tmpdir(), 'florin-sdk-'))
const home = join(place, 'node_modules', '@florin', 'sdk')
beforeAll(() => writePackage(home))
afterAll(() => rmSync(place, { recursive: true }))

test('a plain Node imports the built package and calls a service with it', async () => {
  const networks = { success: true, networks: [{ network: 'eip155:1', fees: null }], timestamp: 1 }
  const service = await openTestService([lost, answer(200, networks)])
  try {
    const program = `
      import { Florin, FlorinError } from '@florin/sdk'
      const florin = new Florin({ baseUrl: '${service.baseUrl}', apiKey: '${TEST_KEY}' })
      const [{ network }] = await florin.networks.list()
      console.log(network, typeof FlorinError, process.versions.node)`
    writeFileSync(join(place, 'program.mjs'), program)
    const child = spawn(systemNode() ?? process.execPath, ['program.mjs'], { cwd: place })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
    }
    await once(child, 'close')
    expect(output).toMatch(/^eip155:1 function \d+\.\d+\.\d+\n$/)
    expect(service.seen).toHaveLength(2)
  } finally {
    await service.close()
  }
})

test('its declarations stand alone: typed calls, and mistakes that do not compile', () => {
  const program = `
    import { Florin, FlorinError } from '@florin/sdk'
    import type { ListedPayment } from '@florin/sdk'
    const florin = new Florin({ baseUrl: 'https://a.b', apiKey: 'k' })
    const order = { walletAddress: 'a', recipientAddress: 'b', amount: '1.5' }
    const { amount, fee } = await florin.payments.send(order, { idempotencyKey: 'i' })
    export const texts: readonly (string | null)[] = [amount, fee]
    export const seen: ListedPayment[] = []
    for await (const payment of florin.payments.history('a', { type: 'sent' })) seen.push(payment)
    export const is = (error: unknown) => error instanceof FlorinError && error.code === 'RATE_LIMIT'`
  const mistakes = `import { Florin } from '@florin/sdk'
    const florin = new Florin({ baseUrl: 'https://a.b', apiKey: 'k' })
    void florin.payments.send({ walletAddress: 'a', recipientAddress: 'b' })
    void florin.payments.history('a', { type: 'lost' })`
  writeFileSync(join(place, 'mistakes.ts'), mistakes)
  writeFileSync(join(place, 'program.ts'), program)
  const options = [
    '--strict',
    '--noEmit',
    '--target',
    'es2022',
    '--lib',
    'es2022,dom',
    '--types',
    '',
  ]
  const modules = ['--module', 'nodenext', '--skipLibCheck', 'false']
  writeFileSync(join(place, 'package.json'), '{"type":"module"}')
  const { stdout } = spawnSync(
    process.execPath,
    [COMPILER, ...options, ...modules, 'program.ts', 'mistakes.ts'],
    { cwd: place, encoding: 'utf8' },
  )
  const found = stdout.split('\n').filter((line) => /^\S/.test(line))
  expect(found).toEqual([
    expect.stringMatching(/^mistakes\.ts\(3,.*'amount' is missing/),
    expect.stringMatching(/^mistakes\.ts\(4,.*"lost"/),
  ])
})

test('its declarations are whole in a server that has the types of Node and not those of a browser', () => {
  const program = `
    import { Florin, paywall, receiptSigner } from '@florin/sdk'
    import { generateKeyPairSync } from 'node:crypto'
    const { privateKey } = generateKeyPairSync('ed25519')
    const receipts = await receiptSigner(privateKey.export({ format: 'jwk' }))
    const florin = new Florin({ baseUrl: 'https://a.b', apiKey: 'k' })
    const price = { amount: '1', asset: 'USDC', network: 'base', payTo: '0x1', receipts }
    export const wall = paywall(florin, price)
    void receiptSigner('key')`
  writeFileSync(join(place, 'server.ts'), program)
  writeFileSync(join(place, 'package.json'), '{"type":"module"}')
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--skipLibCheck', 'false']
  const types = ['--target', 'es2022', '--lib', 'es2022', '--types', 'node']
  const { stdout } = spawnSync(
    process.execPath,
    [COMPILER, ...options, ...types, '--typeRoots', TYPE_ROOT, 'server.ts'],
    { cwd: place, encoding: 'utf8' },
  )
  const found = stdout.split('\n').filter((line) => /^\S/.test(line))
  expect(found).toEqual([expect.stringMatching(/^server\.ts\(9,.*'PrivateJwk'/)])
})

test('it has no dependency and names nothing but its own files', () => {
  const manifest: Record<string, unknown> = JSON.parse(
    readFileSync(join(home, 'package.json'), 'utf8'),
  )
  expect(Object.keys(manifest).filter((key) => /dependencies|scripts/i.test(key))).toEqual([])
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' })
  const code = files.filter((file) => /\.(js|d\.ts)$/.test(file))
  expect(code).toContain('florin.js')
  // An operation may be called a test; a file of the contract holds types only.
  const own = files.filter((file) => !/^contract\b/.test(file))
  expect(own.filter((file) => /test/.test(file))).toEqual([])
  for (const file of code) {
    const imported = readFileSync(join(home, file), 'utf8').matchAll(/ from ["']([^"']+)["']/g)
    for (const [, target = ''] of imported) expect(target, file).toMatch(/^\.\.?\//)
  }
})
