import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { anyPort } from '@florin/sandbox/host/any-port.ts'
import { Redis } from 'ioredis'
import { Secret } from '../kernel/secret.ts'
import { until } from '../kernel/until.ts'

const READY_SECONDS = 60
const PORT_TRIES_MAX = 50
const PASSWORD = 'canary-redis-password'

/** A Redis of a test's own, on loopback, which keeps nothing. It ends with the test's process at the latest. */
export interface TestRedis {
  readonly url: Secret
  readonly port: number
  /** Ends it at once; what it counted is gone. */
  kill(): Promise<void>
  /** Starts it again at the same address, empty. */
  start(): Promise<void>
  /** Keeps its connections open without answering, until `resume`. */
  pause(): void
  resume(): void
}

/** Where redis-server is, undefined when it is not in PATH. */
export function redisServer(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, 'redis-server')).find(isExecutable)
}

export async function openTestRedis(): Promise<TestRedis> {
  const program = redisServer()
  if (program === undefined) throw new Error('redis-server is not in PATH')
  const port = await freePort()
  const url = new Secret(`redis://:${PASSWORD}@127.0.0.1:${port}/0`)
  const serve = () => {
    const settings = {
      port: String(port),
      bind: '127.0.0.1',
      requirepass: PASSWORD,
      save: '',
      appendonly: 'no',
    }
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
    return spawn(program, args, { stdio: 'ignore' })
  }
  let child = serve()
  const endWithTest = () => child.kill('SIGKILL')
  process.once('exit', endWithTest)

  const ready = async () => {
    const probe = new Redis(url.reveal(), { retryStrategy: () => 20, maxRetriesPerRequest: null })
    probe.on('error', () => undefined)
    const seen = { pong: '' }
    void probe.ping().then(
      (pong) => (seen.pong = pong),
      () => undefined,
    )
    try {
      await until('redis-server answers', () => seen.pong === 'PONG', { seconds: READY_SECONDS })
    } finally {
      probe.disconnect()
    }
  }
  await ready()

  return {
    url,
    port,
    kill: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      }
      process.off('exit', endWithTest)
    },
    start: async () => {
      child = serve()
      process.once('exit', endWithTest)
      await ready()
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A port that nobody has, and that no connection of the machine is given by the time Redis takes it, or takes it again. */
async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORT_TRIES_MAX; tries += 1) {
    const port = anyPort()
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
  throw new Error('no port is free')
}
