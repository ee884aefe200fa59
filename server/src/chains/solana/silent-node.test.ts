import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import type { Chain } from '../chain.ts'
import { startTestNode } from '../json-rpc/test-node.ts'
import type { Reply, Script } from '../json-rpc/test-node.ts'
import { knownAddress } from './account.ts'
import { encodeBase58 } from './base58.ts'
import { connectSolana } from './connect.ts'
import { compileMessage } from './message.ts'
import { NO_SIGNATURE, withSignature } from './sign.ts'
import { testNetwork } from './test-network.ts'
import { error, result, script } from './test-script.ts'

const address = (byte: number) => knownAddress(encodeBase58(new Uint8Array(32).fill(byte)))
const LAPSED = withSignature(NO_SIGNATURE, compileMessage(address(9), [], address(1)))
const SINCE = 600n
const SECONDS_BETWEEN = 200
const ROUNDS = { inTime: 7, tooLong: 20 } as const

/** Calls the blockhash unusable, or what the test says of it, at a final slot. */
const saying = (isLive: boolean, slot = 700): Script =>
  script({ isBlockhashValid: () => result({ context: { slot }, value: isLive }) })
const to = (reply: Reply): Script => ({ reply: () => reply })
const http = (status: number, body = ''): Script => ({
  accident: (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    return true
  },
})

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

interface Scene {
  readonly chain: Chain
  /** Asks so many times, so far apart, and gives the last answer. */
  readonly ask: (rounds: number) => Promise<bigint | undefined>
  /** Asks each node something else. */
  readonly finalHeights: () => Promise<unknown>
  /** What the log was told of the word of nodes. */
  readonly told: () => readonly object[]
}

async function openScene(scripts: readonly (Script | 'nobody')[]): Promise<Scene> {
  let passed = 0
  const lines: object[] = []
  const urls = await Promise.all(
    scripts.map(async (each) => {
      const node = await startTestNode(each === 'nobody' ? {} : each)
      // Its port was free a moment ago, and nobody listens there any more.
      if (each === 'nobody') await node.stop()
      else stops.push(() => node.stop())
      return node.url
    }),
  )
  const log = openLog('info', {
    write: (line: string) => {
      lines.push(JSON.parse(line) as object)
    },
  })
  const chain = connectSolana({
    config: testNetwork(urls),
    log,
    clock: { ...systemClock, nowMilliseconds: () => systemClock.nowMilliseconds() + passed },
  })
  const { renewal } = chain
  if (renewal.kind !== 'lifetime') throw new Error('Solana renews by lifetime')
  return {
    chain,
    ask: async (rounds) => {
      let last: bigint | undefined
      for (let round = 0; round < rounds; round += 1) {
        passed += SECONDS_BETWEEN * 1000
        ;[last] = await renewal.deadFrom([{ raw: LAPSED, sinceHeight: SINCE }])
      }
      return last
    },
    finalHeights: async () => renewal.finalHeights?.(),
    told: () => lines.filter((line) => JSON.stringify(line).includes('expired transactions')),
  }
}

describe('a node that gives no result for long', () => {
  test.each<[string, Script | 'nobody']>([
    ['listens no more', 'nobody'],
    ['is not paid for any more', http(403, '{"error":{"code":-32052,"message":"no access"}}')],
    ['takes no more requests', http(429)],
    ['is broken', http(503)],
    ['refuses all in JSON', to(error(-32_005, 'Node is behind by 42 slots'))],
    ['leaves all unanswered', to('unanswered')],
    ['is somebody’s page by now', http(200, '<html></html>')],
  ])('and %s has its say in time, and then none', async (_, node) => {
    const { ask, chain, told } = await openScene([saying(false), node, saying(false, 710)])
    expect(await ask(ROUNDS.inTime)).toBeUndefined()
    expect(told()).toEqual([])
    expect(await ask(ROUNDS.tooLong)).toBe(710n)
    expect(told()).toHaveLength(1)
    const [first, second] = chain.nodes?.() ?? []
    expect(first).toMatchObject({ state: 'ok', reason: null })
    expect(second?.reason).toMatch(/has said nothing for 30 minutes/)
  })

  test('leaves the others with theirs: one that calls it alive, is behind or fails now is waited for', async () => {
    for (const other of [saying(true), saying(false, 599)]) {
      const { ask } = await openScene([saying(false), 'nobody', other])
      expect(await ask(ROUNDS.tooLong)).toBeUndefined()
    }
    let fails = false
    const failing: Script = {
      reply: (method, params) =>
        fails ? 'unanswered' : (saying(false).reply?.(method, params) ?? 'unanswered'),
    }
    const { ask } = await openScene(['nobody', failing])
    expect(await ask(ROUNDS.tooLong)).toBe(700n)
    fails = true
    expect(await ask(ROUNDS.tooLong)).toBeUndefined()
  })

  test('has its say again with its first result, whichever, and the log tells both', async () => {
    let reply: Reply = 'unanswered'
    const node: Script = { reply: () => reply }
    const { ask, told, chain } = await openScene([saying(false), node])
    expect(await ask(ROUNDS.tooLong)).toBe(700n)
    reply = result({ context: { slot: 700 }, value: true })
    expect(await ask(1)).toBeUndefined()
    reply = 'unanswered'
    expect(await ask(ROUNDS.inTime)).toBeUndefined()
    expect(told()).toEqual([
      expect.objectContaining({ level: 'warn', node: '2', seconds: 1_800 }),
      expect.objectContaining({ level: 'info', node: '2' }),
    ])
    expect(String(chain.nodes?.()[1]?.reason)).not.toMatch(/30 minutes/)
  })

  test('is waited for by an instance that has just begun, and a lone one for ever', async () => {
    const { ask } = await openScene([saying(false), 'nobody'])
    expect(await ask(ROUNDS.tooLong)).toBe(700n)
    const other = await openScene([saying(false), 'nobody'])
    expect(await other.ask(1)).toBeUndefined()
    const lone = await openScene(['nobody'])
    expect(await lone.ask(ROUNDS.tooLong)).toBeUndefined()
    const nobody = await openScene(['nobody', http(503)])
    expect(await nobody.ask(ROUNDS.tooLong)).toBeUndefined()
  })

  test('that answers and does not know this question, or is behind, has its say for as long as it is listed', async () => {
    const ignorant = script({
      getEpochInfo: { blockHeight: 650, absoluteSlot: 700 },
      isBlockhashValid: () => error(-32_601, 'Method not found'),
    })
    const { ask, finalHeights } = await openScene([saying(false), ignorant])
    for (let times = 0; times < 3; times += 1) {
      expect(await ask(ROUNDS.inTime)).toBeUndefined()
      await finalHeights()
    }
    const behind = await openScene([saying(false), saying(false, 599)])
    expect(await behind.ask(ROUNDS.tooLong)).toBeUndefined()
  })
})
