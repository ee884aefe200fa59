import { expect, test } from 'vitest'
import { repositoryFiles } from './source.ts'
import { strayImports } from './stray-imports.ts'

const stray = (path: string, text: string) => strayImports([{ path, text }])

test('rule: a room imports itself and lower ranks, a workspace only what it may', () => {
  expect(strayImports(repositoryFiles())).toEqual([])
})

test('an import upwards, of a neighbour, or of a room without a rank is found in every form', () => {
  expect(stray('server/src/ledger/post.ts', `import { x } from '../sender/lane.ts'`)).toEqual([
    'server/src/ledger/post.ts:1: ledger may not import sender',
  ])
  expect(stray('server/src/ledger/post.ts', `export type { X } from '../custody/key.ts'`)).toEqual([
    'server/src/ledger/post.ts:1: ledger may not import custody',
  ])
  expect(stray('server/src/kernel/id.ts', `\nawait import('@florin/server/app.ts')`)).toEqual([
    'server/src/kernel/id.ts:2: kernel may not import composition',
  ])
  expect(stray('server/src/payments/send.ts', `import '../banking/wire.ts'`)).toEqual([
    'server/src/payments/send.ts:1: the room banking has no rank in checks/rooms.ts',
  ])
  expect(stray('server/src/banking/send.ts', `import '../kernel/id.ts'`)).toEqual([
    'server/src/banking/send.ts:1: the room banking has no rank in checks/rooms.ts',
  ])
})

test('an import over the wall of a workspace is found', () => {
  expect(stray('wire/src/amount.ts', `import type { X } from '@florin/server/app.ts'`)).toEqual([
    'wire/src/amount.ts:1: wire may not import server',
  ])
  expect(stray('sandbox/src/up.ts', `import '@florin/wire/amount.ts'`)).toEqual([
    'sandbox/src/up.ts:1: sandbox may not import wire',
  ])
  expect(stray('server/src/app.ts', `import '../../sandbox/src/up.ts'`)).toEqual([
    'server/src/app.ts:1: server may not import sandbox',
  ])
  expect(stray('server/src/app.ts', `import '@florin/wire'`)).toEqual([
    'server/src/app.ts:1: "@florin/wire" is not a file of a workspace',
  ])
})

test('a fenced package outside its place is found', () => {
  expect(stray('server/src/sender/lane.ts', `import { hexToBytes } from 'viem/utils'`)).toEqual([
    'server/src/sender/lane.ts:1: only server/src/chains/ and sandbox/ and examples/ may import viem',
  ])
  expect(stray('server/src/ledger/store.ts', `import pg from 'pg'`)).toEqual([
    'server/src/ledger/store.ts:1: only server/src/store/ may import pg',
  ])
  expect(stray('cli/src/main.ts', `import fastify from 'fastify'`)).toEqual([
    'cli/src/main.ts:1: only server/src/http/ may import fastify',
  ])
})

test('what the table allows is not a problem, and neither are comments, strings and tests', () => {
  const sender = [
    `import type { Tx } from '../store/postgres.ts'`,
    `import { parseAmount } from '@florin/wire/amount.ts'`,
    `import { lane } from './lane.ts'`,
    `// import '../payments/send.ts'`,
    `const text = "from '../payments/send.ts'"`,
  ].join('\n')
  expect(stray('server/src/sender/send.ts', sender)).toEqual([])
  expect(stray('server/src/app.ts', `import './payments/send.ts'`)).toEqual([])
  expect(stray('server/src/ledger/post.test.ts', `import '../payments/send.ts'`)).toEqual([])
})
