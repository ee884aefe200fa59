import { FlorinError } from '@florin/sdk'
import type { AccountEvent, Florin } from '@florin/sdk'
import { systemRandom } from '@florin/server/kernel/random.ts'
import type { Run } from '../command.ts'
import { readArguments } from '../read-arguments.ts'
import { readAssetNames } from './asset-names.ts'
import type { AssetNames } from './asset-names.ts'
import { eventLine, namesAsset } from './event-line.ts'
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
    const names = namesOnce(florin, signal)
    const line = async (event: AccountEvent) =>
      eventLine(event, namesAsset(event) ? await names() : addresses)
    for await (const event of events) {
      context.print(json ? `${JSON.stringify(event)}\n` : `${await line(event)}\n`)
      if (forward !== undefined) context.note(`  ${await forward.send(event, signal)}\n`)
    }
    return EXIT.done
  })
}

function afterText(cursor: string | null): string {
  return cursor === null ? '' : ` after ${visible(cursor)}`
}

/**
 * Names of the assets, asked for once, when the first event has one: until then the service may be away, and listening waits for it.
 * Where they cannot be had, assets keep their addresses: an event that came is shown in any case.
 */
function namesOnce(florin: Florin, signal: AbortSignal): () => Promise<AssetNames> {
  let asked: Promise<AssetNames> | undefined
  const ask = () =>
    readAssetNames(florin, signal).catch((error: unknown): AssetNames => {
      if (error instanceof FlorinError) return addresses
      throw error
    })
  return () => (asked ??= ask())
}

const addresses: AssetNames = (_, asset) => asset
