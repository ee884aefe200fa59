import { FlorinError } from '@florin/sdk'
import type { Florin } from '@florin/sdk'
import type { CommandContext } from '../command.ts'
import { CommandFailed } from '../usage-error.ts'
import { openClient } from './open-client.ts'
import { tellFailure } from './tell-failure.ts'

/** How the client's settings are called in the environment. */
const VARIABLES: Readonly<Record<string, string>> = {
  baseUrl: 'FLORIN_BASE_URL',
  apiKey: 'FLORIN_API_KEY',
}

/** Does a caller's work with the service and gives its exit code; a failure is told in the caller's words. */
export async function withClient(
  context: CommandContext,
  json: boolean,
  work: (florin: Florin, signal: AbortSignal) => Promise<number>,
): Promise<number> {
  try {
    const signal = context.interrupted?.() ?? new AbortController().signal
    return await work(await openClient(context.environment), signal)
  } catch (error) {
    if (!(error instanceof FlorinError)) throw error
    // A setting is of the environment, not of a call.
    if (error.code === 'INVALID_SETTING') {
      const text = error.message.replace(/^\w+/, (name) => VARIABLES[name] ?? name)
      throw new CommandFailed(text, { cause: error })
    }
    return tellFailure(error, context, { json })
  }
}
