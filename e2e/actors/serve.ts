import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { text as readAll } from 'node:stream/consumers'
import { until } from '@florin/server/kernel/until.ts'
import { FLORIN } from './florin.ts'

const START_SECONDS = 90

/** One line of the log of `florin serve`. */
export interface LogLine {
  readonly level: number
  readonly msg: string
  readonly [field: string]: unknown
}

/** One running `florin serve`, or one that refused to run. */
export interface ServeHandle {
  readonly pid: number
  /** What it listens on, once it does. */
  port(): Promise<number>
  /** The lines of its standard output, each of which must be JSON. */
  log(): readonly LogLine[]
  stdout(): string
  stderr(): string
  said(message: string): boolean
  signal(signal: NodeJS.Signals): void
  /** The exit code; null while it runs. */
  code(): number | null
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

/** Starts a command of ours in a directory with nothing but these settings. It ends with this process. */
export function spawnServe(
  env: Readonly<Record<string, string>>,
  { directory }: { directory: string },
): ServeHandle {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [FLORIN, 'serve'], {
    cwd: directory,
    env: { PATH, HOME: directory, FLORIN_PORT: '0', FLORIN_LAUNCHER_FD: '3', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = once(child, 'close').then(() => ({
    code: child.exitCode,
    signal: child.signalCode,
  }))
  const log = () =>
    stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as LogLine)
  return {
    pid: child.pid ?? 0,
    log,
    stdout: () => stdout,
    stderr: () => stderr,
    said: (message) => log().some(({ msg }) => msg === message),
    signal: (signal) => {
      child.kill(signal)
    },
    code: () => child.exitCode,
    ended,
    port: () =>
      until(
        'florin serve listens',
        () => {
          if (child.exitCode !== null) throw new Error(`it ended:\n${stdout}${stderr}`)
          const port = log().find(({ msg }) => msg === 'listening')?.['port']
          return typeof port === 'number' ? port : undefined
        },
        { seconds: START_SECONDS },
      ),
  }
}

/** What a call over TLS gave back. */
export interface TlsReply {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Record<string, unknown>
}

/** Calls over TLS, trusting one certificate only. */
export function openTlsClient(port: number, certificate: () => string, apiKey: string) {
  return async (method: string, path: string, body?: unknown): Promise<TlsReply> => {
    const call = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      ca: certificate(),
      servername: 'localhost',
      agent: false,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
    })
    const answered = once(call, 'response')
    call.end(body === undefined ? undefined : JSON.stringify(body))
    const [response] = (await answered) as [IncomingMessage]
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: JSON.parse(await readAll(response)) as Record<string, unknown>,
    }
  }
}
