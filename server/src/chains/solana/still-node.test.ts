import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import { until } from '../../kernel/until.ts'
import type { Chain, Renewal, TransactionHash } from '../chain.ts'
import { startTestNode } from '../json-rpc/test-node.ts'
import type { Reply, TestNode } from '../json-rpc/test-node.ts'
import { knownAddress } from './account.ts'
import { encodeBase58 } from './base58.ts'
import { connectSolana } from './connect.ts'
import { compileMessage } from './message.ts'
import { NO_SIGNATURE, withSignature } from './sign.ts'
import { testNetwork } from './test-network.ts'
import { error, result, script } from './test-script.ts'

const address = (byte: number) => knownAddress(encodeBase58(new Uint8Array(32).fill(byte)))
const LAPSED = withSignature(NO_SIGNATURE, compileMessage(address(9), [], address(1)))
const HASH = encodeBase58(new Uint8Array(64).fill(3)) as TransactionHash
const START = 1_000
const ROUND = { seconds: 200, blocks: 500 }
const ROUNDS = { inTime: 7, tooLong: 20 } as const

/** What a node is now; the test changes it. */
interface Fake {
  slot: number
  /** How many blocks of a round it sees. */
  pace: number
  isLive: boolean
  hasFound: boolean
  isAway: boolean
  /** Of which blocks it does not say whether a blockhash is good. */
  hides: readonly string[]
  /** It does not say how far it is. */
  hidesSlot: boolean
}
const GOES: Fake = {
  ...{ slot: START, pace: ROUND.blocks },
  ...{ isLive: false, hasFound: false, isAway: false, hides: [], hidesSlot: false },
}
const STANDS: Fake = { ...GOES, pace: 0 }

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

function nodeOf(fake: Fake): Promise<TestNode> {
  const told = script({
    getSlot: () => (fake.hidesSlot ? error(-32_601, 'Method not found') : result(fake.slot)),
    getLatestBlockhash: () =>
      result({
        context: { slot: fake.slot },
        value: { blockhash: address(2), lastValidBlockHeight: fake.slot + 100 },
      }),
    isBlockhashValid: ([, { commitment }]: [string, { commitment: string }]) => {
      if (fake.hides.includes(commitment)) return error(-32_005, 'Too many requests')
      const slot = commitment === 'finalized' ? fake.slot - 32 : fake.slot
      return result({ context: { slot }, value: fake.isLive })
    },
    getEpochInfo: () => result({ absoluteSlot: fake.slot - 32, blockHeight: fake.slot - 100 }),
    getSignatureStatuses: () =>
      result({ context: { slot: fake.slot }, value: [fake.hasFound ? { slot: 5 } : null] }),
  })
  return startTestNode({
    reply: (method, params): Reply =>
      fake.isAway ? 'unanswered' : (told.reply?.(method, params) ?? 'unanswered'),
  })
}

interface Scene {
  readonly chain: Chain
  readonly renewal: Extract<Renewal, { kind: 'lifetime' }>
  /** Lets so many rounds pass, with a look at the nodes in each. */
  readonly pass: (rounds: number) => Promise<void>
  /** From where on the transaction is dead, seen since the start or, as a rule, since a block that nobody who stands has. */
  readonly ask: (sinceHeight?: number) => Promise<bigint | undefined>
  readonly told: () => readonly object[]
}

async function openScene(fakes: readonly Fake[]): Promise<Scene> {
  let passed = 0
  const lines: object[] = []
  const nodes = await Promise.all(fakes.map(nodeOf))
  stops.push(...nodes.map((node) => () => node.stop()))
  const log = openLog('info', { write: (line: string) => void lines.push(JSON.parse(line)) })
  const chain = connectSolana({
    config: testNetwork(nodes.map(({ url }) => url)),
    log,
    clock: { ...systemClock, nowMilliseconds: () => systemClock.nowMilliseconds() + passed },
  })
  const { renewal } = chain
  if (renewal.kind !== 'lifetime') throw new Error('Solana renews by lifetime')
  return {
    ...{ chain, renewal },
    pass: async (rounds) => {
      for (let round = 0; round < rounds; round += 1) {
        passed += ROUND.seconds * 1000
        for (const fake of fakes) fake.slot += fake.pace
        // With the one that goes on away nobody may be left to read from: the look is what counts.
        await chain.head().catch(() => undefined)
        const isSeen = () =>
          fakes.every(
            ({ slot, isAway, hidesSlot }, node) =>
              isAway || hidesSlot || chain.nodes?.()[node]?.height === BigInt(slot),
          )
        await until('every node was looked at', isSeen, { seconds: 60 })
      }
    },
    ask: async (sinceHeight = START + ROUND.blocks) =>
      (await renewal.deadFrom([{ raw: LAPSED, sinceHeight: BigInt(sinceHeight) }]))[0],
    told: () => lines.filter((line) => JSON.stringify(line).includes('expired transactions')),
  }
}

describe('a node that answers and stands still', () => {
  test('while another one goes on has its say in time, and then none, until it moves; the log and the state tell', async () => {
    const fakes = [{ ...STANDS }, { ...GOES }]
    const { ask, pass, told, chain } = await openScene(fakes)
    await pass(ROUNDS.inTime)
    expect(await ask()).toBeUndefined()
    expect(told()).toEqual([])
    await pass(ROUNDS.tooLong)
    expect(await ask()).toBe(BigInt((fakes[1]?.slot ?? 0) - 32))
    expect(told()).toEqual([expect.objectContaining({ level: 'warn', node: '1', seconds: 1_800 })])
    const [first, second] = chain.nodes?.() ?? []
    expect(first?.reason).toMatch(/blocks below another node's; it has stood still for 30 minutes/)
    expect(second).toMatchObject({ state: 'ok', reason: null })
    const [standing] = fakes
    if (standing === undefined) throw new Error('there is a node')
    standing.pace = 1
    await pass(1)
    expect(await ask()).toBeUndefined()
    expect(told().at(-1)).toMatchObject({ level: 'info', node: '1' })
    expect(String(chain.nodes?.()[0]?.reason)).not.toMatch(/stood still/)
  })

  test('has its say again with the first answer that is newer, before its height is looked at', async () => {
    const fakes = [{ ...STANDS }, { ...GOES }]
    const { ask, pass } = await openScene(fakes)
    await pass(ROUNDS.tooLong)
    expect(await ask()).toBeDefined()
    for (const fake of fakes.slice(0, 1)) fake.slot += 1
    expect(await ask()).toBeUndefined()
  })

  test('is heard where it calls the blockhash good, until two others say otherwise', async () => {
    const two = await openScene([{ ...STANDS, isLive: true }, { ...GOES }])
    await two.pass(ROUNDS.tooLong)
    expect(await two.ask()).toBeUndefined()
    const three = await openScene([{ ...STANDS, isLive: true }, { ...GOES }, { ...GOES }])
    await three.pass(ROUNDS.tooLong)
    expect(await three.ask()).toBeDefined()
    // A chain that makes no blocks, and a node that makes some up.
    const halted = [{ ...STANDS, isLive: true }, { ...GOES }, { ...STANDS, isLive: true }]
    const outvoted = await openScene(halted)
    await outvoted.pass(ROUNDS.tooLong)
    expect(await outvoted.ask(START)).toBeUndefined()
  })

  test.each([[['finalized', 'confirmed']], [['confirmed']], [['finalized']]])(
    'is heard where it does not say of its %j block that the blockhash is over, until two others say so',
    async (hides) => {
      const two = await openScene([{ ...STANDS, hides }, { ...GOES }])
      await two.pass(ROUNDS.tooLong)
      expect(await two.ask()).toBeUndefined()
      const three = await openScene([{ ...STANDS, hides }, { ...GOES }, { ...GOES }])
      await three.pass(ROUNDS.tooLong)
      expect(await three.ask()).toBeDefined()
    },
  )

  test('leaves the others with theirs, and has it again where nobody else is left', async () => {
    const live = await openScene([{ ...STANDS }, { ...GOES, isLive: true }])
    await live.pass(ROUNDS.tooLong)
    expect(await live.ask()).toBeUndefined()
    const fakes = [{ ...STANDS }, { ...GOES }]
    const gone = await openScene(fakes)
    await gone.pass(ROUNDS.tooLong)
    for (const fake of fakes.slice(1)) fake.isAway = true
    expect(await gone.ask()).toBeUndefined()
    await gone.pass(ROUNDS.tooLong)
    expect(await gone.ask()).toBeUndefined()
    expect(String(gone.chain.nodes?.()[0]?.reason)).not.toMatch(/stood still/)
  })

  test('is passed over for the word of nobody who is not seen to go on', async () => {
    const fakes = [{ ...STANDS }, { ...GOES }, { ...GOES, hidesSlot: true }]
    const { ask, pass } = await openScene(fakes)
    await pass(ROUNDS.tooLong)
    expect(await ask()).toBeDefined()
    for (const fake of fakes.slice(1, 2)) fake.isAway = true
    for (let round = 0; round < ROUNDS.tooLong; round += 1) {
      await pass(1)
      expect(await ask()).toBeUndefined()
    }
  })

  test('does so for nobody while all stand', async () => {
    const { ask, pass, told } = await openScene([{ ...STANDS }, { ...STANDS, slot: START - 500 }])
    await pass(ROUNDS.tooLong)
    expect(await ask(START)).toBeUndefined()
    expect(told()).toEqual([])
  })

  test('is no witness that nothing was included, and one for what it found', async () => {
    const fakes = [{ ...STANDS }, { ...GOES }]
    const { pass, renewal } = await openScene(fakes)
    const nodes = async () =>
      ((await renewal.lookBack([HASH]))[0] ?? []).map(({ node, found }) => [
        node.slice(0, 6),
        found,
      ])
    const reaches = async () => (await renewal.finalHeights?.())?.length
    expect(await nodes()).toHaveLength(2)
    expect(await reaches()).toBe(2)
    await pass(ROUNDS.tooLong)
    expect(await nodes()).toEqual([['node 2', false]])
    expect(await reaches()).toBe(1)
    for (const fake of fakes.slice(0, 1)) fake.hasFound = true
    expect(await nodes()).toEqual([
      ['node 1', true],
      ['node 2', false],
    ])
  })
})
