import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import type { Clock } from '../../kernel/clock.ts'
import { limits } from '../../kernel/limits.ts'
import { Secret } from '../../kernel/secret.ts'
import { until } from '../../kernel/until.ts'
import { NodeFailure } from '../chain.ts'
import { quantityFrom } from '../evm/answer.ts'
import { identityOf } from '../evm/chain-id.ts'
import { onlyChain } from './only-chain.ts'
import { openEndpoint } from './endpoint.ts'
import { openNodeHealth } from './node-health.ts'
import { startTestNode } from './test-node.ts'
import type { Reply, Script, TestNode } from './test-node.ts'
import { openTransport } from './transport.ts'
import type { CallEnd, Read, Transport, TransportOptions } from './transport.ts'
import { testNetwork } from '../evm/test-network.ts'
import { onlyUpToDate } from '../evm/up-to-date.ts'
import { postText } from './post-text.ts'

const nodes: TestNode[] = []
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()))
})

async function start(script: Script): Promise<TestNode> {
  const node = await startTestNode(script)
  nodes.push(node)
  return node
}

const result = (value: unknown): { result: unknown } => ({ result: value })
const error = (code: number, message: string): Reply => ({ error: { code, message } })

/** A clock whose every sleep is over at once: every call is too late. */
const impatient: Clock = {
  nowMilliseconds: () => 0,
  sleep: async () => undefined,
}

interface Options {
  readonly clock?: Clock
  readonly responseBytesMax?: number
  readonly finalHeight?: bigint
  readonly limits?: Partial<TransportOptions['limits']>
  readonly onCall?: (end: CallEnd) => void
}

function transportTo(urls: readonly string[], options: Options = {}): Transport {
  const endpoints = urls.map((url, index) =>
    onlyUpToDate(
      () => options.finalHeight ?? 0n,
      onlyChain(
        identityOf(testNetwork(urls)),
        openEndpoint({
          url: new Secret(url),
          name: `node ${index + 1}`,
          clock: options.clock ?? systemClock,
          callSeconds: 5,
          responseBytesMax: options.responseBytesMax ?? 100_000,
          post: postText,
        }),
      ),
    ),
  )
  const onCall = options.onCall ?? (() => undefined)
  const clock = options.clock ?? systemClock
  const own = { ...limits, ...options.limits }
  const hosts = urls.map((_, index) => `node ${index + 1}`)
  const health = openNodeHealth({
    hosts,
    clock,
    limits: own,
    behindBlocksMax: 5n,
    onChange: () => undefined,
  })
  return openTransport({ endpoints, onCall, clock, health, limits: own })
}

const ask = (method: string, ...params: readonly unknown[]): Read<bigint> => ({
  method,
  params,
  parse: (value) => quantityFrom(value, method),
})

describe('reads', () => {
  test('of one tick share one HTTP round trip, and equal ones one call', async () => {
    const node = await start({ reply: (_, [number]) => result(number) })
    const transport = transportTo([node.url])
    const answers = await Promise.all([
      transport.read(ask('a', '0x1')),
      transport.read(ask('b', '0x2')),
      transport.read(ask('a', '0x1')),
      Promise.resolve().then(() => transport.read(ask('a', '0x3'))),
    ])
    expect(answers).toEqual([1n, 2n, 1n, 3n])
    expect(node.requests).toEqual([['a', 'b', 'a', 'eth_chainId']])
  })

  test('are split where a batch would be too large, and no more requests run than allowed', async () => {
    const open = Promise.withResolvers<void>()
    const node = await start({ reply: (_, [number]) => result(number), hold: () => open.promise })
    const transport = transportTo([node.url], {
      limits: { nodeBatchCallsMax: 10, nodeRequestsMax: 2 },
    })
    const numbers = Array.from({ length: 95 }, (_, index) => BigInt(index))
    const answers = Promise.all(
      numbers.map((number) => transport.read(ask('a', `0x${number.toString(16)}`))),
    )
    await until('two requests wait', () => node.requests.length >= 2, { seconds: 30 })
    // Whatever else was sent would have come before this.
    const probe = transportTo([node.url]).read(ask('probe', '0x1'))
    await until('the probe waits', () => node.requests.flat().includes('probe'), { seconds: 30 })
    expect(node.requests).toHaveLength(3)
    open.resolve()
    expect(await answers).toEqual(numbers)
    expect(await probe).toBe(1n)
    expect(node.requests).toHaveLength(11)
  })

  test('fail at once when too many wait', async () => {
    const node = await start({ reply: () => result('0x1') })
    const transport = transportTo([node.url], { limits: { nodeReadsMax: 1 } })
    const first = transport.read(ask('a'))
    await expect(transport.read(ask('b'))).rejects.toThrow('too many reads')
    await expect(transport.read(ask('a'))).resolves.toBe(1n)
    await expect(first).resolves.toBe(1n)
  })

  test('are asked once more when the only node fails for a moment', async () => {
    let calls = 0
    const node = await start({
      reply: () => {
        calls += 1
        return calls === 1 ? error(-32001, 'BlockOutOfRangeError') : result('0x5')
      },
    })
    await expect(transportTo([node.url]).read(ask('a'))).resolves.toBe(5n)
  })

  test('are not asked a third time', async () => {
    const node = await start({ reply: () => error(-32001, 'BlockOutOfRangeError') })
    const reading = transportTo([node.url]).read(ask('a'))
    await expect(reading).rejects.toThrow(NodeFailure)
    await expect(reading).rejects.toThrow('BlockOutOfRangeError')
    expect(node.requests).toHaveLength(2)
  })

  test.each<[string, Script]>([
    ['answers HTTP 500', { accident: (_, response) => (response.writeHead(500).end('{}'), true) }],
    ['closes the connection', { accident: (request) => (request.socket.destroy(), true) }],
    ['answers no JSON', { accident: (_, response) => (response.end('<html>'), true) }],
    ['answers no batch', { accident: (_, response) => (response.end('{"error":"no"}'), true) }],
    [
      'redirects',
      { accident: (_, response) => (response.writeHead(302, { location: '/' }).end(), true) },
    ],
    [
      'answers too many bytes',
      { reply: () => ({ ...result('0x1'), padding: '0'.repeat(200_000) }) },
    ],
    ['leaves the call unanswered', { reply: () => 'unanswered' }],
    ['answers malformed', { reply: () => result('five') }],
    ['refuses the call', { reply: () => error(-32005, 'limit exceeded') }],
    ['is on another chain', { chainId: 1n, reply: () => result('0x1') }],
  ])('go to the next node when one %s, and go there first from then on', async (_, script) => {
    const broken = await start(script)
    const sound = await start({ reply: () => result('0x5') })
    const transport = transportTo([broken.url, sound.url])
    await expect(transport.read(ask('a'))).resolves.toBe(5n)
    await expect(transport.read(ask('a'))).resolves.toBe(5n)
    expect(broken.requests).toHaveLength(1)
    await expect(transportTo([broken.url]).read(ask('a'))).rejects.toThrow(NodeFailure)
  })

  test('of one batch come from one node: when it fails at one of them, all are asked of the next', async () => {
    const poor = await start({
      reply: (method) => (method === 'b' ? error(1, 'no') : result('0x1')),
    })
    const sound = await start({ reply: () => result('0x2') })
    const transport = transportTo([poor.url, sound.url])
    await expect(
      Promise.all([transport.read(ask('a')), transport.read(ask('b'))]),
    ).resolves.toEqual([2n, 2n])
    expect(sound.requests).toEqual([['a', 'b', 'eth_chainId']])
  })

  test('of one batch come from the node that served most of it, when none serves all', async () => {
    const serves = (number: string, ...methods: readonly string[]): Script => ({
      reply: (method) => (methods.includes(method) ? result(number) : error(1, 'no')),
    })
    const nodes = [serves('0x1', 'a'), serves('0x2', 'a', 'b'), serves('0x3', 'c')]
    const urls = (await Promise.all(nodes.map(start))).map(({ url }) => url)
    const transport = transportTo(urls)
    const all = ['a', 'b', 'c'].map((method) => transport.read(ask(method)))
    const ends = await Promise.allSettled(all)
    expect(ends.map((end) => (end.status === 'fulfilled' ? end.value : 'failed'))).toEqual([
      2n,
      2n,
      'failed',
    ])
  })

  test('are not asked of a third node when two refuse them alike', async () => {
    const refusing: Script = { reply: () => error(3, 'reverted') }
    const started = await Promise.all([refusing, refusing, refusing].map(start))
    const transport = transportTo(started.map(({ url }) => url))
    await expect(transport.read(ask('a'))).rejects.toThrow('reverted')
    expect(started.map(({ requests }) => requests.length)).toEqual([1, 1, 0])
    // Nobody is to blame, so the first is asked first again.
    await expect(transport.read(ask('b'))).rejects.toThrow('reverted')
    expect(started.map(({ requests }) => requests.length)).toEqual([2, 2, 0])
  })

  test('of a lone node that failed alone are the only ones asked again', async () => {
    let failures = 0
    const node = await start({
      reply: (method) => {
        if (method !== 'b' || failures > 0) return result('0x1')
        failures += 1
        return error(1, 'no')
      },
    })
    const transport = transportTo([node.url])
    await Promise.all([transport.read(ask('a')), transport.read(ask('b'))])
    expect(node.requests).toEqual([['a', 'b', 'eth_chainId'], ['b']])
  })

  test('take an error for an answer where it is one', async () => {
    const node = await start({ reply: () => error(3, 'execution reverted') })
    const read: Read<bigint | string> = { ...ask('a'), meaning: ({ message }) => message }
    await expect(transportTo([node.url]).read(read)).resolves.toBe('execution reverted')
    expect(node.requests).toHaveLength(1)
  })

  test('end when the node takes too long, and a lone node is not asked again', async () => {
    const node = await start({ accident: () => true })
    const ends: CallEnd[] = []
    const options = { clock: impatient, onCall: (end: CallEnd) => ends.push(end) }
    await expect(transportTo([node.url], options).read(ask('a'))).rejects.toThrow('in time')
    expect(ends).toEqual([{ method: 'a', node: 0, end: 'failure', milliseconds: 0 }])
  })

  test('throw a bug of the parser as what it is', async () => {
    const node = await start({ reply: () => result('0x1') })
    const read: Read<bigint> = {
      ...ask('a'),
      parse: () => {
        throw new RangeError('a bug')
      },
    }
    await expect(transportTo([node.url]).read(read)).rejects.toThrow(RangeError)
  })
})

describe('a node that is behind', () => {
  const lagging: Script = {
    reply: (method) => result(method === 'eth_blockNumber' ? '0x9' : '0x1'),
  }

  test.each(['eth_getTransactionReceipt', 'eth_getTransactionCount'])(
    'is not believed about %s',
    async (method) => {
      const node = await start(lagging)
      const late = transportTo([node.url], { finalHeight: 10n })
      await expect(late.read(ask(method))).rejects.toThrow('is at block 9')
      const punctual = transportTo([node.url], { finalHeight: 9n })
      await expect(punctual.read(ask(method))).resolves.toBe(1n)
    },
  )

  test('is not asked its height for anything else', async () => {
    const node = await start(lagging)
    await expect(transportTo([node.url], { finalHeight: 10n }).read(ask('eth_call'))).resolves.toBe(
      1n,
    )
    expect(node.requests).toEqual([['eth_call', 'eth_chainId']])
  })
})

describe('what is told', () => {
  const calls = ['0x1', '0x2', '0x3'].map((raw) => ({ method: 'send', params: [raw] }))

  test('goes to every node once, in order, whatever each of them answers', async () => {
    const sound = await start({ reply: (_, [raw]) => result(raw) })
    const broken = await start({ accident: (request) => (request.socket.destroy(), true) })
    const refusing = await start({ reply: () => error(-32000, 'nonce too low') })
    const urls = [sound.url, broken.url, refusing.url]
    const answers = await transportTo(urls, { limits: { nodeBatchCallsMax: 2 } }).tellAll(calls)
    expect(answers[0]).toEqual(calls.map(({ params }) => ({ ok: true, result: params[0] })))
    expect(answers[1]?.every((answer) => answer instanceof NodeFailure)).toBe(true)
    expect(answers[2]).toEqual(
      calls.map(() => ({ ok: false, error: { code: -32000, message: 'nonce too low' } })),
    )
    expect(sound.requests).toEqual([['send', 'send', 'eth_chainId'], ['send']])
    expect(broken.requests).toHaveLength(2)
  })

  test('is not answered by a node of another chain', async () => {
    const stranger = await start({ chainId: 1n, reply: (_, [raw]) => result(raw) })
    const [answers] = await transportTo([stranger.url]).tellAll(calls)
    expect(answers?.map((answer) => answer instanceof NodeFailure)).toEqual([true, true, true])
  })
})

test('the chain id is asked once, and again after a failure', async () => {
  let isDown = false
  const node = await start({
    reply: () => result('0x1'),
    accident: (request) => {
      if (isDown) request.socket.destroy()
      return isDown
    },
  })
  const transport = transportTo([node.url])
  await transport.read(ask('a'))
  await transport.read(ask('a'))
  isDown = true
  await expect(transport.read(ask('a'))).rejects.toThrow(NodeFailure)
  isDown = false
  await transport.read(ask('a'))
  const asked = node.requests.map((methods) => methods.includes('eth_chainId'))
  expect(asked.slice(0, 3)).toEqual([true, false, false])
  expect(asked.at(-1)).toBe(true)
})

test('every call is counted by method, end and the time of its round trip', async () => {
  let now = 0
  const clock = { ...systemClock, nowMilliseconds: () => now }
  const node = await start({
    hold: async () => void (now += 7),
    reply: (method) => (method === 'a' ? result('0x1') : error(3, 'execution reverted')),
  })
  const ends: CallEnd[] = []
  const options = { clock, onCall: (end: CallEnd) => ends.push(end) }
  const transport = transportTo([node.url], options)
  await Promise.all([transport.read(ask('a')), transport.read({ ...ask('b'), meaning: () => 0n })])
  await transportTo(['http://127.0.0.1:1'], options).tellAll([ask('c')])
  const milliseconds = 7
  expect(ends).toEqual([
    { method: 'a', node: 0, end: 'result', milliseconds },
    { method: 'b', node: 0, end: 'error', milliseconds },
    { method: 'c', node: 0, end: 'failure', milliseconds: 0 },
  ])
})

describe("a node's URL", () => {
  const SECRETS = ['hunter2secret', 'alice-user', 'pathkey123', 'querykey456']
  const secretUrl = (url: string): string =>
    `${url.replace('http://', 'http://alice-user:hunter2secret@')}/v3/pathkey123?key=querykey456`

  test('gives its credentials as a header', async () => {
    const node = await start({ reply: () => result('0x1') })
    await transportTo([secretUrl(node.url)]).read(ask('a'))
    const expected = Buffer.from('alice-user:hunter2secret').toString('base64')
    expect(node.headers().authorization).toBe(`Basic ${expected}`)
  })

  test.each<[string, Script | undefined]>([
    ['is not there', undefined],
    ['answers HTTP 500', { accident: (_, response) => (response.writeHead(500).end(), true) }],
    [
      'repeats it in an error',
      { reply: () => error(-32000, `no app ${SECRETS.join(' ')} http://x/v3/pathkey123`) },
    ],
    [
      'repeats it in place of a batch',
      {
        accident: (_, response) => (
          response.end(`{"error":{"message":"bad key pathkey123 querykey456"}}`),
          true
        ),
      },
    ],
  ])('is in no failure when the node %s', async (_, script) => {
    const url = script === undefined ? 'http://127.0.0.1:1' : (await start(script)).url
    const transport = transportTo([secretUrl(url)])
    const failure = await transport.read(ask('a')).catch((reason: unknown) => reason)
    const [told] = await transport.tellAll([ask('a')])
    const shown = [failure, told]
      .map(
        (each) => JSON.stringify(each) + String(each) + (each instanceof Error ? each.stack : ''),
      )
      .join()
    expect(failure).toBeInstanceOf(NodeFailure)
    for (const secret of SECRETS) expect(shown).not.toContain(secret)
  })
})
