import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { endTree } from './end-tree.ts'

/** The repository's top folder. */
export const root = dirname(import.meta.dirname)

export interface ToolOutcome {
  /** Null when the tool was ended by a signal, the deadline's included, or not begun because of one. */
  readonly exitCode: number | null
  /** Standard output and standard error as they came, when captured. */
  readonly output: string
  readonly seconds: number
  readonly timedOut: boolean
}

/** Runs a JavaScript tool of node_modules with this very Node, from the top folder, without standard input. At the deadline, and at `signal`, it is ended with all that it started. */
export function runTool(
  args: readonly string[],
  options: {
    readonly timeoutSeconds: number
    readonly show?: boolean
    readonly signal?: AbortSignal
    readonly env?: Readonly<Record<string, string>>
  },
): Promise<ToolOutcome> {
  const started = performance.now()
  const { signal } = options
  if (signal?.aborted === true) {
    return Promise.resolve({ exitCode: null, output: '', seconds: 0, timedOut: false })
  }
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...args], {
      cwd: root,
      // Ctrl-C in a terminal would end it before what it has started is known.
      detached: true,
      stdio: options.show === true ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...options.env },
    })
    let output = ''
    let timedOut = false
    const collect = (chunk: Buffer) => (output += chunk.toString())
    child.stdout?.on('data', collect)
    child.stderr?.on('data', collect)
    let ending = Promise.resolve()
    const stop = () => {
      ending = child.pid === undefined ? ending : endTree(child.pid)
    }
    const deadline = setTimeout(() => {
      timedOut = true
      stop()
    }, options.timeoutSeconds * 1000)
    signal?.addEventListener('abort', stop, { once: true })
    const settle = () => {
      clearTimeout(deadline)
      signal?.removeEventListener('abort', stop)
    }
    child.on('error', (error) => {
      settle()
      reject(error)
    })
    child.on('close', (code) => {
      settle()
      const seconds = (performance.now() - started) / 1000
      // The tool may be gone before what it started.
      ending.then(() => resolve({ exitCode: code, output, seconds, timedOut }), reject)
    })
  })
}
