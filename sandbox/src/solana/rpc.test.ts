import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { until } from '../../../server/src/kernel/until.ts'
import { testClient } from './test-client.ts'

const SYSTEM = '11111111111111111111111111111111'

/** What comes over a WebSocket; the tests say what they expect in it. */
interface Message {
  readonly id?: number
  readonly method?: string
  readonly result?: unknown
  readonly params?: unknown
}

let sandbox: SandboxHandle
let client: ReturnType<typeof testClient>
let payer: Awaited<ReturnType<typeof client.newKey>>
beforeAll(async () => {
  sandbox = await startSandbox({ faults: true })
  client = testClient(sandbox)
  payer = await client.newKey()
  await sandbox.fund(payer.address)
})
afterAll(async () => {
  await sandbox.stop()
})

async function post(body: string, headers: Record<string, string> = {}) {
  return await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const sent = request(sandbox.solana.rpcUrl, { method: 'POST', headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      answer.on('end', () => resolve({ status: answer.statusCode, text }))
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

describe('JSON-RPC', () => {
  test.each([
    ['doesNotExist', [], -32_601],
    ['toString', [], -32_601],
    ['getBalance', [], -32_602],
    ['getBalance', ['x'], -32_602],
    ['getBalance', [SYSTEM, { commitment: 'soon' }], -32_602],
    ['getBalance', [SYSTEM, { minContextSlot: 10_000_000 }], -32_016],
    ['getMultipleAccounts', [Array.from({ length: 101 }, () => SYSTEM)], -32_602],
    ['getSignatureStatuses', [['short']], -32_602],
    ['getTransaction', ['5'.repeat(88), { commitment: 'processed' }], -32_602],
    ['getBlock', [999_999_999], -32_004],
    ['getBlock', [1], -32_001],
    ['sendTransaction', ['AAAA', { encoding: 'base64' }], -32_602],
    ['sendTransaction', ['!', { encoding: 'base64' }], -32_602],
    ['sendTransaction', ['A'.repeat(1_648), { encoding: 'base64' }], -32_602],
    ['getTokenSupply', [SYSTEM], -32_602],
    ['requestAirdrop', [SYSTEM, 0], -32_602],
    ['getProgramAccounts', [SYSTEM, { filters: [{}, {}, {}, {}, {}] }], -32_602],
  ])('%s %j is refused with %i', async (method, params, code) => {
    expect((await client.raw(method, params)).error?.code).toBe(code)
  })

  test('answers batches in order, and bad bodies by name', async () => {
    const batch = [
      { jsonrpc: '2.0', id: 'a', method: 'getHealth' },
      { jsonrpc: '2.0', id: 2, method: 'nothing' },
      5,
    ]
    expect(JSON.parse((await post(JSON.stringify(batch))).text)).toMatchObject([
      { id: 'a', result: 'ok' },
      { id: 2, error: { code: -32_601 } },
      { id: null, error: { code: -32_600 } },
    ])
    expect(JSON.parse((await post('{')).text)).toMatchObject({ error: { code: -32_700 } })
    expect(JSON.parse((await post('[]')).text)).toMatchObject({ error: { code: -32_600 } })
    const many = JSON.stringify(Array.from({ length: 1_001 }, () => batch[0]))
    expect(JSON.parse((await post(many)).text)).toMatchObject({ error: { code: -32_600 } })
    expect((await post(' '.repeat(6_000_000))).status).toBe(413)
  })

  test('answers loopback names only', async () => {
    const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getHealth' })
    expect((await post(call, { host: 'evil.example' })).status).toBe(403)
    expect((await post(call, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await post(call, { host: 'localhost:1' })).status).toBe(200)
  })

  test('writes u64 as plain digits', async () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'getAccountInfo', params: [SYSTEM] }
    const { text } = await post(JSON.stringify(call))
    expect(text).toContain('"rentEpoch":18446744073709551615')
  })
})

describe('blocks', () => {
  test('each form of getBlock shows the transaction, and heights are not slots', async () => {
    const { wire, signature } = await client.transfer(payer, payer.address, 5n)
    await client.send(wire)
    const slot = await until(
      'it is confirmed',
      async () => {
        const status = await client.status(signature)
        return status?.confirmationStatus === 'processed' ? undefined : status?.slot
      },
      { seconds: 30 },
    )
    const block = async (config: object): Promise<unknown> =>
      (
        await client.raw('getBlock', [
          Number(slot),
          { commitment: 'confirmed', maxSupportedTransactionVersion: 0, ...config },
        ])
      ).result
    expect(await block({ transactionDetails: 'signatures' })).toMatchObject({
      signatures: [signature],
    })
    expect(await block({ transactionDetails: 'accounts' })).toMatchObject({
      transactions: [{ transaction: { signatures: [signature] }, meta: { fee: 5_000 } }],
    })
    expect(await block({ encoding: 'jsonParsed' })).toMatchObject({
      transactions: [{ transaction: { message: { instructions: [{ program: 'system' }] } } }],
    })
    expect(await block({ encoding: 'base64', rewards: false })).toMatchObject({
      transactions: [{ transaction: [wire, 'base64'], version: 0 }],
    })
    const bare = await block({ transactionDetails: 'none' })
    expect(bare).toMatchObject({ parentSlot: Number(slot) - 1 })
    expect(bare).not.toHaveProperty('transactions')
    expect(bare).not.toHaveProperty('blockHeight', Number(slot))
    const old = await client.raw('getBlock', [Number(slot), { commitment: 'confirmed' }])
    expect(old.error?.code).toBe(-32_015)
  })
})

describe('simulateTransaction', () => {
  test('shows accounts, units and inner instructions, and keeps nothing', async () => {
    const to = (await client.newKey()).address
    const { wire } = await client.transfer(payer, to, 1_000_000n)
    const config = {
      encoding: 'base64',
      commitment: 'processed',
      sigVerify: true,
      innerInstructions: true,
      accounts: { addresses: [to], encoding: 'base64' },
    }
    const answer = await client.raw('simulateTransaction', [wire, config])
    expect(answer.result).toMatchObject({
      value: {
        err: null,
        unitsConsumed: 150,
        innerInstructions: [],
        accounts: [{ lamports: 1_000_000 }],
        fee: 5_000,
        replacementBlockhash: null,
      },
    })
    const { value } = await client.rpc.getBalance(to, { commitment: 'processed' }).send()
    expect(value).toBe(0n)
  })

  test('runs on the commitment that it names: what landed since is not known there', async () => {
    const fault = async (kind: 'stop-blocks' | 'resume-blocks'): Promise<void> =>
      await sandbox.fault({ chain: 'solana', kind })
    const to = (await client.newKey()).address
    const poor = await client.newKey()
    await sandbox.fund(poor.address, 'native', '0.01')
    const config = { encoding: 'base64', sigVerify: true }
    const error = async (wire: string, commitment: string): Promise<unknown> => {
      const answer = await client.raw('simulateTransaction', [wire, { ...config, commitment }])
      return (answer.result as { value: { err: unknown } }).value.err
    }
    const pass = async (): Promise<void> =>
      await sandbox.fault({ chain: 'solana', kind: 'mine', blocks: 1 })
    await fault('stop-blocks')
    try {
      await pass()
      const within = await client.lifetime()
      const first = await client.transfer(poor, to, 6_000_000n, within)
      const second = await client.transfer(poor, to, 7_000_000n, within)
      await client.send(first.wire)
      await pass()
      expect((await client.status(first.signature))?.confirmationStatus).toBe('processed')

      expect(await error(first.wire, 'processed')).toBe('AlreadyProcessed')
      expect(await error(second.wire, 'processed')).toEqual({
        InstructionError: [0, { Custom: 1 }],
      })
      for (const { wire } of [first, second]) expect(await error(wire, 'confirmed')).toBeNull()
      // Nothing of the older accounts stayed.
      const { value } = await client.rpc.getBalance(to, { commitment: 'processed' }).send()
      expect(value).toBe(6_000_000n)
      await pass()
      expect(await error(first.wire, 'confirmed')).toBe('AlreadyProcessed')
      expect(await error(second.wire, 'confirmed')).toEqual({
        InstructionError: [0, { Custom: 1 }],
      })
    } finally {
      await fault('resume-blocks')
    }
  })

  test('tells the balances before and after, of a failure, too', async () => {
    const to = (await client.newKey()).address
    const balances = async (lamports: bigint): Promise<unknown> => {
      const { wire } = await client.transfer(payer, to, lamports)
      const config = { encoding: 'base64', commitment: 'processed' }
      return (await client.raw('simulateTransaction', [wire, config])).result
    }
    const { value } = await client.rpc.getBalance(payer.address, { commitment: 'processed' }).send()
    const had = Number(value)
    expect(await balances(1_000_000n)).toMatchObject({
      value: {
        preBalances: [had, 0, 1],
        postBalances: [had - 1_005_000, 1_000_000, 1],
        preTokenBalances: [],
        postTokenBalances: [],
      },
    })
    expect(await balances(value)).toMatchObject({
      value: {
        err: { InstructionError: [0, { Custom: 1 }] },
        preBalances: [had, 0, 1],
        postBalances: [had - 5_000, 0, 1],
      },
    })
  })

  test('names what is wrong, and does not take sigVerify with a replaced blockhash', async () => {
    const stranger = await client.newKey()
    const { wire } = await client.transfer(stranger, payer.address, 1n)
    const config = { encoding: 'base64', replaceRecentBlockhash: true }
    const answer = await client.raw('simulateTransaction', [wire, config])
    expect(answer.result).toMatchObject({
      value: {
        err: 'AccountNotFound',
        replacementBlockhash: { blockhash: expect.any(String) },
      },
    })
    const both = await client.raw('simulateTransaction', [wire, { ...config, sigVerify: true }])
    expect(both.error?.code).toBe(-32_602)
  })
})

describe('subscriptions', () => {
  async function talk(url: string): Promise<{
    readonly heard: readonly Message[]
    ask(method: string, params?: readonly unknown[]): Promise<Message>
    end(): void
  }> {
    const socket = new WebSocket(url)
    const heard: Message[] = []
    socket.on('message', (data: Buffer) => heard.push(JSON.parse(data.toString('utf8')) as Message))
    await new Promise((resolve, reject) => {
      socket.once('open', resolve)
      socket.once('error', reject)
    })
    let id = 0
    return {
      heard,
      async ask(method, params = []) {
        id += 1
        const own = id
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: own, method, params }))
        return await until('the reply', async () => heard.find((one) => one.id === own), {
          seconds: 30,
        })
      },
      end: () => socket.close(),
    }
  }

  test.each(['rpcUrl', 'wsUrl'] as const)('are taken at %s', async (name) => {
    const line = await talk(sandbox.solana[name].replace('http:', 'ws:'))
    const { result: subscription } = await line.ask('slotSubscribe')
    await until('slots come', async () => line.heard.length > 2, { seconds: 30 })
    const slots = line.heard.slice(1).map(({ params }) => params)
    const slot = expect.any(Number)
    expect(slots[0]).toEqual({ subscription, result: { slot, parent: slot, root: slot } })
    expect(await line.ask('slotUnsubscribe', [subscription])).toMatchObject({ result: true })
    const again = await line.ask('slotUnsubscribe', [subscription])
    expect(again).toMatchObject({ error: { code: -32_602 } })
    expect(await line.ask('voteSubscribe')).toMatchObject({ error: { code: -32_601 } })
    expect(await line.ask('getHealth')).toMatchObject({ result: 'ok' })
    line.end()
  })

  test('tell of accounts, programs, logs, blocks and roots', async () => {
    const line = await talk(sandbox.solana.wsUrl)
    const to = (await client.newKey()).address
    const config = { commitment: 'confirmed', encoding: 'base64' }
    const block = { commitment: 'confirmed', transactionDetails: 'signatures' }
    const replies = [
      await line.ask('accountSubscribe', [to, config]),
      await line.ask('programSubscribe', [SYSTEM, config]),
      await line.ask('logsSubscribe', [{ mentions: [to] }, config]),
      await line.ask('blockSubscribe', [{ mentionsAccountOrProgram: to }, block]),
      await line.ask('rootSubscribe'),
    ]
    expect(new Set(replies.map(({ result }) => result)).size).toBe(5)
    const { wire, signature } = await client.transfer(payer, to, 1_000_000n)
    await client.send(wire)
    const expected = {
      accountNotification: { value: { lamports: 1_000_000 } },
      programNotification: { value: { account: { owner: SYSTEM } } },
      logsNotification: { value: { signature, err: null } },
      blockNotification: { value: { block: { signatures: [signature] } } },
    }
    for (const [name, result] of Object.entries(expected)) {
      const found = await until(name, async () => line.heard.find((one) => one.method === name), {
        seconds: 30,
      })
      expect(found).toMatchObject({ params: { result } })
    }
    await until('a root', async () => line.heard.some((one) => one.method === 'rootNotification'), {
      seconds: 30,
    })
    line.end()
  })

  test('a signature that has landed already is told once, after the reply', async () => {
    const line = await talk(sandbox.solana.wsUrl)
    const { wire, signature } = await client.transfer(payer, payer.address, 9n)
    await client.send(wire)
    const config = { commitment: 'processed', enableReceivedNotification: true }
    const { result } = await line.ask('signatureSubscribe', [signature, config])
    await until('both come', async () => line.heard.length >= 3, { seconds: 30 })
    expect(line.heard).toMatchObject([
      { id: 1, result },
      { params: { subscription: result, result: { value: 'receivedSignature' } } },
      { params: { subscription: result, result: { value: { err: null } } } },
    ])
    const over = await line.ask('signatureUnsubscribe', [result])
    expect(over).toMatchObject({ error: { code: -32_602 } })
    line.end()
  })
})
