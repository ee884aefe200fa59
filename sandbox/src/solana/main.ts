// The Solana chain as a process: told what to do by the sandbox process over their channel, and ending with it.
import { setTimeout as delay } from 'node:timers/promises'
import { Complaint } from '../host/complaint.ts'
import { lockDirectory } from '../host/directory-lock.ts'
import type { Json } from '../host/json.ts'
import { parseJson } from '../host/json.ts'
import { stderrLog } from '../host/log.ts'
import type { Order, Reply } from './message.ts'
import { readOrder } from './message.ts'
import { startSolanaService } from './service.ts'
import type { SolanaService } from './service.ts'
import { readStartOrder } from './start-order.ts'

const LOCK_SECONDS = 10
const LOCK_POLL_MILLISECONDS = 20

// At once, without a save: the next sandbox may already look at the files.
process.on('disconnect', () => process.exit(0))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // A terminal's Ctrl-C reaches everybody; the sandbox process decides about the end.
  process.on(signal, () => undefined)
}
process.on('message', (message) => {
  const order = readOrder(parseJson(JSON.stringify(message)))
  if (order !== undefined) void carryOut(order)
})

let service: SolanaService | undefined

async function carryOut(order: Order): Promise<void> {
  try {
    answer({ id: order.id, ok: true, value: await done(order) })
    if (order.what === 'stop') process.disconnect?.()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    answer({ id: order.id, ok: false, complaint: error instanceof Complaint, message })
  }
}

async function done({ what, with: value }: Order): Promise<Json> {
  if (what === 'start') {
    const order = readStartOrder(value)
    await lockPatiently(order.directory)
    service = await startSolanaService(order, stderrLog)
    const { port, market } = service
    return { port, market }
  }
  if (service === undefined) throw new Error('the chain has not started')
  switch (what) {
    case 'fault':
      await service.fault(value)
      return null
    case 'clear':
      service.clear()
      return null
    case 'state':
      return service.state()
    case 'pay':
      return await service.pay(value)
    case 'maker':
      return await service.maker(value)
    case 'stop':
      await service.stop()
      return null
    default:
      return what satisfies never
  }
}

/** A process whose parent was killed holds the directory until it has noticed. */
async function lockPatiently(directory: string): Promise<void> {
  const deadline = performance.now() + LOCK_SECONDS * 1000
  for (;;) {
    try {
      await lockDirectory(directory)
      return
    } catch (error) {
      if (!(error instanceof Complaint) || performance.now() > deadline) throw error
      await delay(LOCK_POLL_MILLISECONDS)
    }
  }
}

function answer(reply: Reply): void {
  process.send?.(reply)
}
