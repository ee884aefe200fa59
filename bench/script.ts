import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A script of this folder as a process that answers each line with one. */
export function startScript(
  name: string,
  args: readonly string[],
  nodeOptions: readonly string[] = [],
) {
  const script = fileURLToPath(new URL(name, import.meta.url))
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [
    ...nodeOptions,
    script,
    ...args,
  ])
  child.stderr.pipe(process.stderr)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    /** Sends a line, if any, and gives the next one that comes back. */
    ask: async (line?: string): Promise<string> => {
      if (line !== undefined) child.stdin.write(`${line}\n`)
      const next = await lines.next()
      if (next.done === true) throw new Error(`${name} ended`)
      return next.value
    },
    stop: async () => {
      if (child.exitCode !== null) return
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}
