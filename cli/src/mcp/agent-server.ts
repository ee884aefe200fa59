import type { Florin } from '@florin/sdk'
import { openTurns } from '@florin/server/kernel/turns.ts'
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import type { Allowance } from './allowance.ts'
import { toolInput } from './tool.ts'
import { failureOf } from './tool-answer.ts'
import { toolsOf } from './tools.ts'

/** Calls at once: an agent that makes more at a time waits, and opens no more connections. */
const CALLS_MAX = 8

export interface AgentServerOptions {
  readonly version: string
  readonly allowance: Allowance
  /** Opened for each call: a service that was started again may be elsewhere. */
  openFlorin(): Promise<Florin>
  /** Told what is a bug here. */
  onBug(error: unknown): void
}

/** A server of the Model Context Protocol by which an agent pays, within what whoever runs it allows. */
export function agentServer({
  version,
  allowance,
  openFlorin,
  onBug,
}: AgentServerOptions): McpServer {
  const server = new McpServer(
    { name: 'florin', title: 'Florin payments', version },
    {
      instructions: `Pays for things on the web in ${allowance.asset}, ${allowance.maxAmount} at most in one call. Give each payment an idempotencyKey of its own, and the same one again when you repeat a call: it pays once.`,
    },
  )
  const inTurn = openTurns(CALLS_MAX)
  for (const tool of toolsOf(allowance)) {
    const { name, title, annotations } = tool
    const config = {
      ...{ title, annotations, description: tool.describe(allowance) },
      inputSchema: fromJsonSchema(tool.inputSchema),
    }
    server.registerTool(name, config, async (args, { mcpReq: { signal } }) => {
      try {
        return await inTurn(async () => {
          const florin = await openFlorin()
          return tool.run({ florin, allowance, input: toolInput(args), signal })
        })
      } catch (error) {
        const failure = failureOf(error)
        if (failure !== undefined) return failure
        onBug(error)
        throw new Error('the tool has failed; the log of the server says why', { cause: error })
      }
    })
  }
  return server
}
