import { spawn } from 'node:child_process'
import { dirname } from 'node:path'

/** The repository's top folder. */
export const root = dirname(import.meta.dirname)

const KILL_AFTER_SECONDS = 10

export interface ToolOutcome {
  /** Null when the tool was ended by a signal, the deadline's included. */
  readonly exitCode: number | null
  /** Standard output and standard error as they came, when captured. */
  readonly output: string
  readonly seconds: number
  readonly timedOut: boolean
}

/** Runs a JavaScript tool of node_modules with this very Node, from the top folder, without standard input. */
export function runTool(
  args: readonly string[],
  options: {
    readonly timeoutSeconds: number
    readonly show?: boolean
    readonly env?: Readonly<Record<string, string>>
  },
): Promise<ToolOutcome> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...args], {
      cwd: root,
      stdio: options.show === true ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...options.env },
    })
    let output = ''
    let timedOut = false
    const collect = (chunk: Buffer) => (output += chunk.toString())
    child.stdout?.on('data', collect)
    child.stderr?.on('data', collect)
    const stop = () => child.kill('SIGTERM')
    const deadline = setTimeout(() => {
      timedOut = true
      stop()
      setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_SECONDS * 1000).unref()
    }, options.timeoutSeconds * 1000)
    process.on('SIGTERM', stop)
    process.on('SIGINT', stop)
    const settle = () => {
      clearTimeout(deadline)
      process.off('SIGTERM', stop)
      process.off('SIGINT', stop)
    }
    child.on('error', (error) => {
      settle()
      reject(error)
    })
    child.on('close', (code) => {
      settle()
      const seconds = (performance.now() - started) / 1000
      resolve({ exitCode: code, output, seconds, timedOut })
    })
  })
}
