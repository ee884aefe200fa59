import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { openClient } from '../caller/open-client.ts'
import type { Run } from '../command.ts'
import { readArguments } from '../read-arguments.ts'
import { ownVersion } from '../version.ts'
import { agentServer } from './agent-server.ts'
import { readAllowance } from './allowance.ts'

/**
 * `florin mcp`: payments for an agent, over standard input and output, until its host closes them. Nothing but the protocol goes to standard output.
 * What is under way then goes on at the service.
 */
export const runMcp: Run = async ({ args, environment, note, interrupted }) => {
  const allowance = readAllowance(
    readArguments(args, { flags: ['max', 'asset', 'wallets'], switches: ['send'] }),
  )
  const tell = (what: string, error: unknown) => {
    note(
      `florin: ${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
  }
  const version = await ownVersion()
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  const transport = new StdioServerTransport()
  process.stdin.once('close', end)
  process.stdin.once('end', end)
  interrupted?.().addEventListener('abort', () => end())
  const handle = serveStdio(
    () =>
      agentServer({
        version,
        allowance,
        openFlorin: () => openClient(environment),
        onBug: (error) => tell('a bug', error),
      }),
    { transport, onerror: (error) => tell('the connection', error) },
  )
  await isOver
  await handle.close()
  return 0
}
