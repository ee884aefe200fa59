import { listKeys } from '@florin/server/access/list-keys.ts'
import type { Run } from '../command.ts'
import { readArguments } from '../read-arguments.ts'
import { table } from '../table.ts'
import { keyView, momentText } from './key-view.ts'
import { withAccess } from './open-access.ts'

/** `florin keys list`: every key that was not deleted, without its text. */
export const runKeysList: Run = async ({ args, environment, print }) => {
  const json = readArguments(args, { switches: ['json'] }).has('json')
  const keys = await withAccess(environment, (access) => listKeys(access, access.accountId))
  if (json) {
    print(`${JSON.stringify({ keys: keys.map(keyView) })}\n`)
    return 0
  }
  const rows = keys.map((key) => [
    key.keyId,
    `...${key.lastFour}`,
    key.name.replaceAll(/\p{Cc}/gu, '?'),
    key.plan,
    key.scopes.join(','),
    momentText(key.createdAtMilliseconds),
    momentText(key.lastUsedAtMilliseconds),
    momentText(key.expiresAtMilliseconds),
  ])
  print(
    table([['ID', 'KEY', 'NAME', 'PLAN', 'SCOPES', 'CREATED', 'LAST USED', 'EXPIRES'], ...rows]),
  )
  return 0
}
