import { CommandFailed } from '../usage-error.ts'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { until } from '@florin/server/kernel/until.ts'
import { expect, test } from 'vitest'
import { agentServer } from './agent-server.ts'

const SOON = { seconds: 60 }
const CALLS = 20
const AT_ONCE = 8

/** A stock client of a server whose service is opened by `openFlorin`. */
async function agent(openFlorin: Parameters<typeof agentServer>[0]['openFlorin']) {
  const bugs: unknown[] = []
  const allowance = { asset: 'USDC', maxAmount: '1', wallets: undefined, maySend: false }
  const onBug = (error: unknown) => void bugs.push(error)
  const server = agentServer({ version: '1.0.0', allowance, openFlorin, onBug })
  const [near, far] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name: 'an agent', version: '1.0.0' })
  await Promise.all([server.connect(far), client.connect(near)])
  const list = () => client.callTool({ name: 'list_wallets', arguments: {} })
  return { client, list, bugs }
}

test('calls that come at once beyond eight wait for their turn, and all are answered', async () => {
  const { promise: open, reject: refuse } = Promise.withResolvers<never>()
  let begun = 0
  const { client, list } = await agent(() => {
    begun += 1
    return open
  })
  const calls = Promise.all(Array.from({ length: CALLS }, list))
  await until('as many as may have begun', () => begun === AT_ONCE, SOON)
  // Answered without a turn, and after all of them have arrived.
  await client.ping()
  expect(begun).toBe(AT_ONCE)
  refuse(new CommandFailed('no sandbox runs here'))
  expect((await calls).every(({ isError }) => isError === true)).toBe(true)
  expect(begun).toBe(CALLS)
  await client.close()
})

test('a bug is told to whoever runs the server, and not to the agent', async () => {
  const { client, list, bugs } = await agent(() => Promise.reject(new Error('of the inside')))
  const answer = await list()
  expect(answer.isError).toBe(true)
  expect(JSON.stringify(answer)).not.toContain('of the inside')
  expect(bugs).toEqual([new Error('of the inside')])
  await client.close()
})
