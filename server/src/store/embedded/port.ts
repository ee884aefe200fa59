import { createServer } from 'node:net'
import { join } from 'node:path'
import { readIfThere, writeWhole } from './small-file.ts'

const LOOPBACK = '127.0.0.1'

/** Asks the system for the given loopback port, 0 for any; undefined when it is taken. */
async function claim(port: number): Promise<number | undefined> {
  const server = createServer()
  return await new Promise((resolve) => {
    server.once('error', () => resolve(undefined))
    server.listen(port, LOOPBACK, () => {
      const address = server.address()
      const got = typeof address === 'object' ? address?.port : undefined
      server.close(() => resolve(got))
    })
  })
}

/** The port of the last start while it is free, else a new one, which is remembered. */
export async function choosePort(directory: string): Promise<number> {
  const path = join(directory, 'port')
  const kept = Number(await readIfThere(path))
  if (Number.isInteger(kept) && kept > 0 && kept < 65_536) {
    if ((await claim(kept)) !== undefined) return kept
  }
  const fresh = await claim(0)
  if (fresh === undefined) throw new Error('no free port on 127.0.0.1')
  await writeWhole(path, `${fresh}\n`, 0o600)
  return fresh
}
