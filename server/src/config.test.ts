import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { describe, expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { NO_PROXIES } from './http/client-address.ts'
import { SETTINGS } from './settings.ts'

const read = (environment: Record<string, string>) => readConfig(environment, '/srv/florin')

function problemsOf(environment: Record<string, string>): readonly string[] {
  const outcome = read(environment)
  return outcome.ok ? [] : outcome.problems
}

describe('the environment', () => {
  test('an empty one gives the documented defaults, frozen', () => {
    const outcome = read({})
    expect(outcome).toEqual({
      ok: true,
      config: {
        host: '127.0.0.1',
        port: 4020,
        tls: null,
        trustedProxies: NO_PROXIES,
        publicUrl: null,
        allowedOrigins: [],
        insecureHttp: false,
        dataDirectory: '/srv/florin/.florin',
        databaseUrl: null,
        redisUrl: null,
        networksFile: null,
        keyFile: '/srv/florin/.florin/keys/master.key',
        keyText: null,
        venues: [],
        facilitators: [],
        logLevel: 'warn',
        metricsDoor: null,
        killPoint: null,
        sandboxFaults: false,
        sandboxApprovals: false,
      },
    })
    expect(outcome.ok && Object.isFrozen(outcome.config)).toBe(true)
  })

  test('.env.example is readable and says what the defaults are', async () => {
    const text = await readFile(new URL('../../.env.example', import.meta.url), 'utf8')
    const example = parseEnv(text)
    expect(Object.keys(example).toSorted()).toEqual(SETTINGS.toSorted())
    expect(readConfig(example, '/srv/florin')).toEqual(read({}))
  })

  test('other facilitators are read with their keys, and a key is never repeated', () => {
    const listed = read({
      FLORIN_FACILITATORS: 'https://a.example/x402/, https://:canary%21@b.example:8443/x402',
    })
    expect(listed.config.facilitators.map(({ url }) => url)).toEqual([
      'https://a.example/x402',
      'https://b.example:8443/x402',
    ])
    expect(listed.config.facilitators.map(({ key }) => key?.reveal())).toEqual([
      undefined,
      'canary!',
    ])
    for (const wrong of [
      'b.example',
      'ftp://:canary@b',
      'https://canary:x@b',
      'https://b?canary',
    ]) {
      const outcome = read({ FLORIN_FACILITATORS: `https://a.example, ${wrong}` })
      expect(outcome.ok, wrong).toBe(false)
      expect(JSON.stringify(outcome)).not.toContain('canary')
    }
    expect(read({ FLORIN_FACILITATORS: 'https://a.example, https://a.example/' }).ok).toBe(false)
  })

  test('venues from outside are packages, or files with whole paths', () => {
    const { config } = read({ FLORIN_VENUES: './plugins/pump/venue.ts, @a/b,/opt/c.mjs ../d.ts e' })
    expect(config.venues).toEqual([
      '/srv/florin/plugins/pump/venue.ts',
      '@a/b',
      '/opt/c.mjs',
      '/srv/d.ts',
      'e',
    ])
    for (const wrong of ['https://a.example/b.js', 'data:text/javascript,1', 'a/b/c', 'node:fs']) {
      expect(read({ FLORIN_VENUES: wrong }).ok, wrong).toBe(false)
    }
    expect(read({ FLORIN_VENUES: 'abcdefghi'.split('').join(',') }).ok).toBe(false)
  })

  test('every variable has its effect', () => {
    const outcome = read({
      FLORIN_PORT: '0',
      FLORIN_HOST: '::1',
      FLORIN_DATA_DIR: 'data',
      DATABASE_URL: 'postgres://me:pw@db.example:5432/florin',
      FLORIN_NETWORKS: '/etc/florin/networks.json',
      FLORIN_LOG_LEVEL: 'debug',
      FLORIN_KEY_FILE: 'master',
      FLORIN_KILL_POINT: 'send.after-commit:2',
      FLORIN_SANDBOX_FAULTS: '1',
    })
    expect(outcome).toMatchObject({
      ok: true,
      config: {
        host: '::1',
        port: 0,
        dataDirectory: '/srv/florin/data',
        networksFile: '/etc/florin/networks.json',
        keyFile: '/srv/florin/master',
        logLevel: 'debug',
        killPoint: 'send.after-commit:2',
        sandboxFaults: true,
      },
    })
    expect(outcome.ok && outcome.config.databaseUrl?.reveal()).toContain('db.example')
    expect(JSON.stringify(outcome)).not.toContain('pw@')
  })

  test('every problem is reported at once and the database password is not repeated', () => {
    const problems = problemsOf({
      FLORIN_PORT: '65536',
      FLORIN_HOST: 'http://x',
      DATABASE_URL: 'mysql://root:hunter2@db/x',
      FLORIN_LOG_LEVEL: 'loud',
      FLORIN_KILL_POINT: 'nowhere',
      FLORIN_SANDBOX_FAULTS: 'yes',
    })
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      'FLORIN_SANDBOX_FAULTS',
      'FLORIN_PORT',
      'FLORIN_HOST',
      'DATABASE_URL',
      'FLORIN_LOG_LEVEL',
      'FLORIN_KILL_POINT',
    ])
    expect(problems.join()).not.toContain('hunter2')
  })

  test('the door for metrics is shut unless a port is named, and is open to this machine only', () => {
    expect(read({ FLORIN_METRICS_PORT: '9402' }).config.metricsDoor).toEqual({
      host: '127.0.0.1',
      port: 9402,
    })
    const open = { FLORIN_METRICS_PORT: '9402', FLORIN_METRICS_HOST: '10.0.0.7' }
    expect(read(open).config.metricsDoor?.host).toBe('10.0.0.7')
    for (const FLORIN_METRICS_PORT of ['0', '65536', '-1', 'x']) {
      expect(problemsOf({ FLORIN_METRICS_PORT })).toHaveLength(1)
    }
    expect(problemsOf({ FLORIN_METRICS_HOST: 'http://x' })).toHaveLength(1)
  })

  test('TLS, proxies and the public address are read, and what is half of them is refused', () => {
    const outcome = read({
      FLORIN_TLS_CERT: 'tls/chain.pem',
      FLORIN_TLS_KEY: '/etc/florin/key.pem',
      FLORIN_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      FLORIN_PUBLIC_URL: 'https://pay.example/base/',
      FLORIN_INSECURE_HTTP: '1',
      FLORIN_KEY: 'canary-key-text-canary-key-text-01',
    })
    expect(outcome).toMatchObject({
      ok: true,
      config: {
        tls: { certificateFile: '/srv/florin/tls/chain.pem', keyFile: '/etc/florin/key.pem' },
        publicUrl: 'https://pay.example/base',
        insecureHttp: true,
      },
    })
    expect(outcome.config.trustedProxies.includes('10.9.9.9')).toBe(true)
    expect(outcome.config.trustedProxies.includes('11.0.0.1')).toBe(false)
    expect(JSON.stringify(outcome)).not.toContain('canary')

    const problems = problemsOf({
      FLORIN_TLS_CERT: 'chain.pem',
      FLORIN_TRUSTED_PROXIES: '0.0.0.0/0',
      FLORIN_PUBLIC_URL: 'https://me:canary@pay.example/?x',
      FLORIN_INSECURE_HTTP: 'yes',
      FLORIN_KEY: 'canary',
      FLORIN_KEY_FILE: 'master.key',
    })
    expect(problems).toHaveLength(5)
    expect(problems.join()).toMatch(
      /TRUSTED_PROXIES.*INSECURE_HTTP.*TLS_KEY go together.*PUBLIC_URL.*FLORIN_KEY and FLORIN_KEY_FILE/,
    )
    expect(problems.join()).not.toContain('canary')
  })

  test('origins of pages are exactly what a browser names', () => {
    const origins = ['https://shop.example', 'http://127.0.0.1:5173']
    expect(read({ FLORIN_ALLOWED_ORIGINS: origins.join(', ') })).toMatchObject({
      ok: true,
      config: { allowedOrigins: origins },
    })
    for (const FLORIN_ALLOWED_ORIGINS of ['*', 'shop.example', 'https://shop.example/', 'null']) {
      expect(problemsOf({ FLORIN_ALLOWED_ORIGINS })).toHaveLength(1)
    }
  })

  test.each([
    'redis://cache.example',
    'rediss://cache.example:6380/2',
    'redis://:hunter2@127.0.0.1:6379/0',
    'redis://florin:hunter2@[::1]/',
  ])('REDIS_URL may be %j, and its password is not shown', (url) => {
    const outcome = read({ REDIS_URL: url })
    expect(outcome.ok && outcome.config.redisUrl?.reveal()).toBe(url)
    expect(JSON.stringify(outcome)).not.toContain('hunter2')
  })

  test.each([
    'cache.example:6379',
    'http://hunter2@cache.example',
    'redis:///0',
    'redis://:hunter2@cache.example/florin',
    'redis://:hunter2@cache.example?enableOfflineQueue=true',
    'redis://:hunter2@cache.example/0#x',
  ])('REDIS_URL may not be %j, and is not repeated', (url) => {
    const problems = problemsOf({ REDIS_URL: url })
    expect(problems).toHaveLength(1)
    expect(problems.join()).not.toMatch(/hunter2|cache/)
  })

  test.each(['-1', '1.5', '0x50', '1e3', ' ', '99999', 'abc'])('port %j is refused', (port) => {
    expect(problemsOf({ FLORIN_PORT: port })).toHaveLength(port.trim() === '' ? 0 : 1)
  })
  test.each(['22', '4190', '6000', '10080'])('port %s, which fetch refuses, is told', (port) => {
    expect(problemsOf({ FLORIN_PORT: port })).toEqual([
      expect.stringMatching(new RegExp(`^FLORIN_PORT must not be ${port}: browsers`)),
    ])
  })
})
