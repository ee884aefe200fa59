import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'florin-cli-'))
afterAll(() => rmSync(directory, { recursive: true }))

const florin = (args: readonly string[], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, [MAIN, ...args], { cwd: directory, env, encoding: 'utf8' })

describe('the florin command', () => {
  test('without arguments it helps, and help names every command', () => {
    const { stdout, status } = florin([])
    expect(status).toBe(0)
    for (const name of ['up', 'env', 'keys create', 'keys list', 'keys delete', 'doctor']) {
      expect(stdout).toContain(`florin ${name}`)
    }
  })

  test.each([
    [['keys', 'create', '--help'], ['keys create']],
    [['keys', 'create', '--name', 'a', '-h'], ['keys create']],
    [
      ['keys', '--help'],
      ['keys create', 'keys list', 'keys delete'],
    ],
    [
      ['wallets', '--help'],
      [
        'wallets create',
        'wallets import',
        'wallets list',
        'wallets restore',
        'wallets settle',
        'wallets',
      ],
    ],
    [['pay', '--help'], ['pay']],
    [['help', 'pay'], ['pay']],
    [
      ['help', 'keys'],
      ['keys create', 'keys list', 'keys delete'],
    ],
  ])('%j helps with nothing but %j', (args, names) => {
    const { status, stdout, stderr } = florin(args)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const calls = stdout.split('\n').filter((line) => line.startsWith('  florin '))
    expect(calls).toHaveLength(names.length)
    for (const [index, name] of names.entries()) {
      expect(calls[index]).toMatch(new RegExp(`^  florin ${name}( [^a-z].*)?$`))
    }
    expect(stdout).not.toContain('Florin: a payment service')
  })

  test.each([['--help'], ['-h'], ['help', '--help']])('%s helps with everything', (...args) => {
    expect(florin(args).stdout).toBe(florin([]).stdout)
  })

  test.each([
    [['fly'], 'there is no command "fly"'],
    [['fly', '--help'], 'there is no command "fly"'],
    [['help', 'fly'], 'there is no command "fly"'],
    [['keys'], 'florin keys create, florin keys list, florin keys delete'],
    [['keys', 'burn'], 'florin keys create'],
    [['env', '--yaml'], "'--yaml'"],
    [['env', 'now'], '"now" is one argument too many'],
    [['keys', 'create'], '--name is missing'],
    [['keys', 'create', '--name', 'a', '--plan', 'gold'], '"gold"'],
    [['keys', 'delete'], 'ID is missing'],
    [['keys', 'delete', 'pay_1'], '"pay_1" is not the id of a key'],
  ])('%j is answered with exit code 2 and a way on', (args, reason) => {
    const { status, stdout, stderr } = florin(args)
    expect(stderr).toContain(reason)
    expect(stderr).toContain('florin help')
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  })

  test('bad settings are told all at once, from .env too, and the environment wins over it', () => {
    writeFileSync(join(directory, '.env'), 'FLORIN_PORT=many\nFLORIN_LOG_LEVEL=loud\n')
    const { status, stderr } = florin(['up'], { FLORIN_LOG_LEVEL: 'shrill' })
    expect(status).toBe(1)
    expect(stderr).toContain('FLORIN_PORT')
    expect(stderr).toContain('"shrill"')
    expect(stderr).not.toContain('loud')
    rmSync(join(directory, '.env'))
  })

  test('a setting that nobody knows is told by every command that reads settings, from .env too, without its value', () => {
    writeFileSync(
      join(directory, '.env'),
      'FLORIN_LOGLEVEL=canary\nFLORIN_KEY canary=\nFLORIN_KEY canary\n',
    )
    for (const args of [['up'], ['doctor'], ['env'], ['status', 'pay_1']]) {
      const { stdout, stderr } = florin(args, {
        FLORIN_PORT: 'many',
        FLORIN_DATABASE_URL: 'canary',
        FLORIN_BASE_URL: 'http://127.0.0.1:1',
      })
      expect(stderr).toContain(
        'florin: FLORIN_LOGLEVEL is no setting of this version, and is ignored. Did you mean FLORIN_LOG_LEVEL?\n',
      )
      expect(stderr).toContain('Did you mean DATABASE_URL?\n')
      expect(stderr).toContain('florin: Line 3 of .env is not NAME=value, and is ignored.\n')
      expect(stdout + stderr).not.toContain('canary')
    }
    expect(florin(['version'], { FLORIN_LOGLEVEL: 'canary' }).stderr).toBe('')
    rmSync(join(directory, '.env'))
  })

  test('what Kubernetes sets for a Service called florin is neither a setting nor told', () => {
    const { stderr } = florin(['up'], {
      FLORIN_PORT: 'tcp://10.0.171.239:4020',
      FLORIN_PORT_4020_TCP: 'tcp://10.0.171.239:4020',
      FLORIN_SERVICE_HOST: '10.0.171.239',
      FLORIN_HOST: 'http://x',
    })
    expect(stderr).toMatch(/^florin: the settings cannot be used:\n {2}FLORIN_HOST must .*\n$/)
  })

  test('a data directory that cannot be made is one sentence, not a stack trace', () => {
    writeFileSync(join(directory, 'file'), '')
    const { status, stderr } = florin(['up'], { FLORIN_DATA_DIR: join(directory, 'file', 'data') })
    expect(status).toBe(1)
    expect(stderr).toMatch(/^florin: the data directory cannot be used: .*\n$/)
  })

  test('a database that does not answer is one sentence, before anything is started', () => {
    const data = join(directory, 'unreachable')
    const { status, stderr } = florin(['up'], {
      FLORIN_DATA_DIR: data,
      FLORIN_PORT: '0',
      DATABASE_URL: 'postgresql://florin:canary@127.0.0.1:1/florin',
    })
    expect(status).toBe(1)
    expect(stderr).toContain(
      'florin: the database does not answer (ECONNREFUSED). Is it running, and is DATABASE_URL right?\n',
    )
    expect(stderr).not.toContain('canary')
    expect(existsSync(join(data, 'sandbox'))).toBe(false)
  })

  test('a port that is taken is one sentence, before the database is looked at or anything is started', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    const data = join(directory, 'taken')
    const { status, stderr } = florin(['up'], {
      FLORIN_DATA_DIR: data,
      FLORIN_PORT: port,
      DATABASE_URL: 'postgresql://florin:canary@127.0.0.1:1/florin',
    })
    other.close()
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `florin: port ${port} on 127.0.0.1 is taken by another program. Set FLORIN_PORT, 0 for any free one.\n`,
    })
    expect(existsSync(join(data, 'sandbox'))).toBe(false)
  })

  test('env gives a shell nothing when nothing runs', () => {
    const { status, stdout, stderr } = florin(['env'])
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain('npm start')
  })
})
