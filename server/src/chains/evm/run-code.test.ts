import { afterAll, beforeAll, expect, test } from 'vitest'
import { bytesFrom } from './answer.ts'
import { callGas } from './gas.ts'
import { hexBytes, hexQuantity } from './hex.ts'
import { readRuns, RUN_DATA_BYTES, writeRuns } from './run-code.ts'
import { startTestChain } from './test-chain.ts'
import type { TestChain } from './test-chain.ts'

let world: TestChain
beforeAll(async () => {
  world = await startTestChain()
  await Promise.all(
    Object.entries(CODES).map(([name, code]) => world.rpc('anvil_setCode', addressOf(name), code)),
  )
})
afterAll(async () => {
  await world.sandbox.stop()
})

/** What might stand where a token should. */
const CODES = {
  nothing: '0x00',
  'no code': '0x',
  one: '0x600160005260206000f3',
  two: '0x600260005260206000f3',
  'one and more': '0x600160005260406000f3',
  'a byte of one': '0x600160005360016000f3',
  'a byte that is reverted': '0x600160005360016000fd',
  reverts: '0x60006000fd',
  'is invalid': '0xfe',
  'never ends': '0x5b600056',
  'calls itself': '0x60006000600060006000305af1600055',
  'ends itself': '0x33ff',
  // Fails when it was called before, or when anything of it is seen.
  'happens once': '0x600054600c576001600055005b60006000fd',
  // Takes a gas of its own: 30,000 and some.
  'writes twice': '0x600160005560016001550000',
  // Only for a call with all of its data.
  'counts its data': '0x6101243614600d5760006000fd5b00',
  // Only where the last word of the data is its first, which no other has.
  'looks at its data': '0x6000356101043514600e575f5ffd5b00',
} as const
const OUTCOMES: Record<keyof typeof CODES, 'ran' | 'failed' | 'unclear'> = {
  nothing: 'ran',
  'no code': 'ran',
  one: 'ran',
  two: 'unclear',
  'one and more': 'unclear',
  'a byte of one': 'unclear',
  'a byte that is reverted': 'failed',
  reverts: 'failed',
  'is invalid': 'failed',
  'never ends': 'failed',
  'calls itself': 'failed',
  'ends itself': 'ran',
  'happens once': 'ran',
  'writes twice': 'ran',
  'counts its data': 'ran',
  'looks at its data': 'ran',
}
const NAMES = Object.keys(CODES) as readonly (keyof typeof CODES)[]

function addressOf(name: string): string {
  const place = NAMES.findIndex((each) => each === name) + 1
  return `0x${'c0de'.repeat(9)}${place.toString(16).padStart(4, '0')}`
}

function entryOf(name: string, gas = 100_000n) {
  // No two of its words are the same but the first and the last.
  const data = Buffer.from(Array.from({ length: RUN_DATA_BYTES }, (_, at) => (at * 37 + 11) % 256))
  data.copy(data, RUN_DATA_BYTES - 32, 0, 32)
  return { to: addressOf(name).slice(2), data, gas }
}

async function runAll(entries: readonly ReturnType<typeof entryOf>[]) {
  const result = await world.rpc('eth_call', { data: writeRuns(entries) }, 'latest')
  return readRuns(bytesFrom(result, 'runs'), entries.length)
}

test('says of each call what became of it, whatever it is and whatever stands beside it', async () => {
  expect(await runAll(NAMES.map((name) => entryOf(name)))).toEqual(
    NAMES.map((name) => OUTCOMES[name]),
  )
  // In another order, with 64 in the call.
  const many = Array.from({ length: 64 }, (_, at) => NAMES[(at * 7) % NAMES.length] ?? 'nothing')
  expect(await runAll(many.map((name) => entryOf(name)))).toEqual(
    many.map((name) => OUTCOMES[name]),
  )
})

test('each is alone: what one does no other sees, and nothing stays', async () => {
  expect(await runAll(Array.from({ length: 5 }, () => entryOf('happens once')))).toEqual(
    Array.from({ length: 5 }, () => 'ran'),
  )
})

test('what a call may take is its own: not more, and nobody else’s', async () => {
  const enough = 50_000n
  const entries = [
    entryOf('never ends', 1_000_000n),
    entryOf('writes twice', enough),
    entryOf('writes twice', enough / 2n),
    entryOf('writes twice', enough),
  ]
  expect(await runAll(entries)).toEqual(['failed', 'ran', 'failed', 'ran'])
})

test('says the same as a call for each, to the gas', async () => {
  // In its own call, what is asked of the receiver's account is part of what every transaction pays.
  const least = async (isEnough: (gas: bigint) => Promise<boolean>) => {
    let [below, above] = [0n, 200_000n]
    while (above - below > 1n) {
      const middle = (below + above) / 2n
      if (await isEnough(middle)) above = middle
      else below = middle
    }
    return above
  }
  const { data, to } = entryOf('writes twice')
  for (const zeros of [0, 100, RUN_DATA_BYTES]) {
    data.fill(1).fill(0, 0, zeros)
    const shared = await least(async (gas) => {
      const entry = { data, to, gas: callGas(gas, data) }
      return (await runAll([entry]))[0] === 'ran'
    })
    const alone = await least(async (gas) => {
      const call = { to: `0x${to}`, data: hexBytes(data), gas: hexQuantity(gas) }
      return (await world.rpc('eth_call', call, 'latest')) === '0x'
    })
    expect(shared, `${zeros} bytes are zero`).toBe(alone)
  }
  expect(callGas(20_000n, data)).toBe(0n)
})

test('an answer of another length, or of another word, is none', () => {
  expect(readRuns(Uint8Array.of(1, 0, 2), 3)).toEqual(['ran', 'failed', 'unclear'])
  expect(() => readRuns(Uint8Array.of(1), 2)).toThrow('runs')
  expect(() => readRuns(Uint8Array.of(), 1)).toThrow('runs')
  expect(() => readRuns(Uint8Array.of(3), 1)).toThrow('run')
})
