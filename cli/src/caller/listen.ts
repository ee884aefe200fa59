import type { AccountEvent } from '@florin/sdk'
import { systemRandom } from '@florin/server/kernel/random.ts'
import type { Run } from '../command.ts'
import { momentText } from '../keys/key-view.ts'
import { readArguments } from '../read-arguments.ts'
import { EXIT } from './exit-code.ts'
import { openForward } from './forward.ts'
import { visible } from './visible.ts'
import { withClient } from './with-client.ts'

/** `florin listen`: every event of the account as it happens, until Ctrl-C. */
export const runListen: Run = async (context) => {
  const given = readArguments(context.args, {
    flags: ['keys', 'after', 'forward'],
    switches: ['json'],
    positionals: [],
  })
  const keys = given.flag('keys')?.split(',')
  const after = given.flag('after')
  const json = given.has('json')
  const url = given.flag('forward')
  const forward = url === undefined ? undefined : openForward(url, systemRandom)
  if (forward !== undefined) context.note(`Forwarding, signed with ${forward.secret}\n`)
  return await withClient(context, json, async (florin, signal) => {
    const events = florin.events.listen({
      keys,
      after,
      signal,
      onListening: (cursor) => context.note(`Listening${afterText(cursor)}. Ctrl-C ends it.\n`),
      onInterrupted: (reason) => context.note(`Interrupted: ${visible(reason)}\n`),
    })
    for await (const event of events) {
      context.print(json ? `${JSON.stringify(event)}\n` : `${lineOf(event)}\n`)
      if (forward !== undefined) context.note(`  ${await forward.send(event, signal)}\n`)
    }
    return EXIT.done
  })
}

function afterText(cursor: string | null): string {
  return cursor === null ? '' : ` after ${visible(cursor)}`
}

/** Time, number, what it tells of and how that stands, and the event's own id, which is the next --after. */
function lineOf({ timestamp, sequence, type, data, id }: AccountEvent): string {
  const facts = FACTS.flatMap((name) => {
    const value = data[name]
    return typeof value === 'string' || typeof value === 'boolean' ? [`${value}`] : []
  })
  return [momentText(timestamp), `#${sequence}`, type, ...facts, id].map(visible).join('  ')
}

const FACTS = ['paymentId', 'webhookId', 'type', 'valid', 'status', 'amount', 'asset', 'reason']
