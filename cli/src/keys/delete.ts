import { parseId } from '@florin/server/kernel/id.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Run } from '../command.ts'
import { readArguments } from '../read-arguments.ts'
import { CommandFailed, UsageError } from '../usage-error.ts'
import { removeKey } from './change-keys.ts'
import { withAccess } from './open-access.ts'

/** `florin keys delete`: for ever; a repeated call says that there is no such key. */
export const runKeysDelete: Run = async ({ args, environment, print }) => {
  const given = readArguments(args, { switches: ['json'], positionals: ['ID'] })
  const text = given.positionals[0] ?? ''
  const keyId = parseId('key', text)
  if (keyId === undefined) throw new UsageError(`"${text}" is not the id of a key (key_...)`)
  await withAccess(environment, async (access) => {
    await removeKey(access, keyId).catch((error: unknown) => {
      if (!(error instanceof Refusal) || error.code !== 'NOT_FOUND') throw error
      throw new CommandFailed(`there is no key ${keyId}; "florin keys list" shows them`)
    })
  })
  print(
    given.has('json') ? `${JSON.stringify({ id: keyId, deleted: true })}\n` : `deleted ${keyId}\n`,
  )
  return 0
}
