/** One plain line for a person, on standard error. Standard output carries the ready line only. */
export type Log = (line: string) => void

export const stderrLog: Log = (line) => {
  process.stderr.write(`sandbox: ${line}\n`)
}
