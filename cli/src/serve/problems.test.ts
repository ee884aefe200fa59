import { describe, expect, test } from 'vitest'
import { readConfig } from '@florin/server/config.ts'
import { readFileSync } from 'node:fs'
import { parseNetworks } from '@florin/server/networks-file.ts'
import { networkProblems } from './network-problems.ts'
import type { Problem } from './problem.ts'
import { problemText } from './problem.ts'
import { settingProblems } from './setting-problems.ts'

const SOUND = {
  DATABASE_URL: 'postgresql://florin:8d1fe07c55aa4be09c@db.internal:5432/florin',
  FLORIN_NETWORKS: '/etc/florin/networks.json',
  FLORIN_KEY_FILE: '/etc/florin/master.key',
}
const textOf = (problems: readonly Problem[]) => problems.map(({ what }) => what).join('\n')
const settingsOf = (more: Record<string, string>) => {
  const environment = { ...SOUND, ...more }
  return textOf(settingProblems(readConfig(environment).config, environment))
}

describe('settings of production', () => {
  test.each<[string, Record<string, string>]>([
    ['on the loopback in the clear', {}],
    ['on the loopback by name or IPv6', { FLORIN_HOST: '::1' }],
    ['to others under TLS', { FLORIN_HOST: '0.0.0.0', FLORIN_TLS_CERT: 'c', FLORIN_TLS_KEY: 'k' }],
    [
      'to others behind a trusted proxy',
      {
        FLORIN_HOST: '::',
        FLORIN_TRUSTED_PROXIES: '10.0.0.0/8',
        FLORIN_PUBLIC_URL: 'https://pay.internal',
      },
    ],
    ['to others in the clear, said so', { FLORIN_HOST: '10.0.0.5', FLORIN_INSECURE_HTTP: '1' }],
    ['with the key as text', { FLORIN_KEY_FILE: '', FLORIN_KEY: 'x' }],
    ['with test switches at zero', { FLORIN_SANDBOX_FAULTS: '0' }],
  ])('are fit %s', (_, more) => {
    expect(settingsOf(more)).toBe('')
  })

  test.each<[Record<string, string>, string]>([
    [{ DATABASE_URL: '' }, 'DATABASE_URL is not set'],
    [{ DATABASE_URL: ' ' }, 'DATABASE_URL is not set'],
    [{ DATABASE_URL: 'postgres://florin:postgres@10.0.0.7/florin' }, 'is "postgres"'],
    [{ DATABASE_URL: 'postgres://pay:8d1fe07c55aa4be0@db.example/x' }, 'example host db.example'],
    [{ FLORIN_NETWORKS: '' }, 'FLORIN_NETWORKS is not set'],
    [{ FLORIN_KEY_FILE: '' }, 'No key-encryption key'],
    [{ FLORIN_KILL_POINT: 'send.after-commit:1' }, 'FLORIN_KILL_POINT is set'],
    [{ FLORIN_SANDBOX_FAULTS: '1' }, 'FLORIN_SANDBOX_FAULTS is set'],
    [{ FLORIN_HOST: '0.0.0.0' }, 'plain HTTP to other machines'],
    [{ FLORIN_HOST: 'pay.internal' }, 'plain HTTP to other machines'],
    [{ FLORIN_INSECURE_HTTP: '1' }, 'contradicts the rest'],
    [{ FLORIN_TRUSTED_PROXIES: '10.0.0.1' }, 'FLORIN_PUBLIC_URL is not'],
    [{ FLORIN_PUBLIC_URL: 'https://pay.your-domain.com' }, 'example host'],
    [{ FLORIN_PUBLIC_URL: 'http://pay.internal' }, 'begins with http://'],
  ])('are refused with %j', (more, said) => {
    expect(settingsOf(more)).toContain(said)
  })
})

describe('networks of production', () => {
  const entry = (network: string, rpcUrls: readonly string[], more: object = {}) => ({
    network,
    name: 'N',
    rpcUrls,
    assets: [{ symbol: 'ETH', asset: 'native', decimals: 18 }],
    releaseDepth: 0,
    finality: { kind: 'tag' },
    blockTimeMilliseconds: 1,
    fees: {
      feePerGasMax: '1',
      tipPerGasDefault: '1',
      ceilingMultiple: '1',
      bumpAfterBlocks: 1,
    },
    ...more,
  })
  const problemsOf = (...networks: readonly object[]) => {
    const read = parseNetworks(JSON.stringify({ networks }))
    if (!read.ok) throw new Error(read.problems.join())
    return textOf(networkProblems(read.networks))
  }
  const SOUND_URL = 'https://node.internal/canary'

  test('are fit when they are of one kind and their nodes are reached safely', () => {
    const solana = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
    expect(problemsOf(entry('eip155:8453', [SOUND_URL]), entry(solana, [SOUND_URL]))).toBe('')
    expect(problemsOf(entry('eip155:84532', ['http://127.0.0.1:1', 'http://localhost:2']))).toBe('')
    expect(problemsOf(entry('eip155:777777', [SOUND_URL], { testnet: false }))).toBe('')
  })

  test('are refused when main and test networks are mixed, and when nobody says which', () => {
    expect(
      problemsOf(entry('eip155:8453', [SOUND_URL]), entry('eip155:84532', [SOUND_URL])),
    ).toContain('Main networks (eip155:8453) and test networks (eip155:84532) are mixed')
    expect(problemsOf(entry('eip155:777777', [SOUND_URL]))).toContain('It is not known whether')
  })

  test.each([
    ['http://10.0.0.9:8545/canary', 'plain HTTP'],
    ['http://node.internal/canary', 'plain HTTP'],
    ['https://base.node.example/canary', 'address of the example'],
    ['https://node.internal/your-key/canary', 'address of the example'],
  ])('are refused with a node at %s, which is not repeated', (url, said) => {
    const text = problemsOf(entry('eip155:8453', [SOUND_URL, url]))
    expect(text).toContain(`Node 2 of eip155:8453`)
    expect(text).toContain(said)
    expect(text).not.toContain('canary')
  })

  test('are refused with one node twice', () => {
    expect(problemsOf(entry('eip155:8453', [SOUND_URL, SOUND_URL]))).toContain('same as node 1')
  })
})

test('the example of a networks file can be read, and is refused for its addresses alone', () => {
  const text = readFileSync(new URL('../../../networks.example.json', import.meta.url), 'utf8')
  const read = parseNetworks(text)
  if (!read.ok) throw new Error(read.problems.join('\n'))
  expect(read.networks.map(({ family }) => family)).toContain('evm')
  expect(read.networks.map(({ family }) => family)).toContain('solana')
  expect(read.networks.every(({ testnet }) => testnet === false)).toBe(true)
  expect(read.networks.every(({ rpcUrls }) => rpcUrls.length > 1)).toBe(true)
  const problems = networkProblems(read.networks)
  const nodes = read.networks.reduce((sum, { rpcUrls }) => sum + rpcUrls.length, 0)
  expect(problems).toHaveLength(nodes)
  expect(textOf(problems).split('address of the example')).toHaveLength(nodes + 1)
})

test('all problems are listed, numbered, each with its way on', () => {
  const problems = [
    { what: 'One.', next: 'Do this.' },
    { what: 'Two.', next: 'Do that.' },
  ]
  expect(problemText(problems)).toMatch(/2 problems.*\n 1\. One\.\n {4}Do this\.\n 2\. Two\.\n/)
  expect(problemText(problems, ['Three.'])).toMatch(
    /2 problems(.*\n)+ {4}Do that\.\n And: Three\.\n/,
  )
})
