import type { Server } from 'node:http'
import { Complaint } from '../host/complaint.ts'
import { closeServer, listenOn } from '../host/http.ts'

const ATTEMPTS_MAX = 50
const PORT_MAX = 65_535

/**
 * Listens on two ports that follow each other: clients of Solana look for the WebSocket at the next port. `fixed` must
 * be free (else a Complaint); `remembered` is taken when both are free, any pair otherwise.
 */
export async function listenOnPair(
  first: Server,
  second: Server,
  port: { readonly fixed?: number; readonly remembered?: number },
): Promise<number> {
  if (port.fixed !== undefined) {
    await listenOn(first, { fixed: port.fixed })
    await listenOn(second, { fixed: port.fixed + 1 })
    return port.fixed
  }
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const wish = attempt === 0 ? port : {}
    const got = await listenOn(first, wish)
    if (got < PORT_MAX && (await isFree(second, got + 1))) return got
    await closeServer(first)
  }
  throw new Complaint('no two free ports follow each other on this machine.')
}

async function isFree(server: Server, port: number): Promise<boolean> {
  try {
    await listenOn(server, { fixed: port })
    return true
  } catch (error) {
    if (error instanceof Complaint) return false
    throw error
  }
}
