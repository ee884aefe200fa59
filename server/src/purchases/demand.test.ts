import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { USDC } from '../chains/evm/test-network.ts'
import { limits } from '../kernel/limits.ts'
import { readDemand } from './demand.ts'

const DEMAND = {
  x402Version: 1,
  accepts: [
    {
      ...{ scheme: 'exact', network: 'base-sepolia', maxAmountRequired: '10', asset: USDC.asset },
      ...{ payTo: `0x${'3'.repeat(40)}`, maxTimeoutSeconds: 60, extra: {} },
      ...{ resource: 'https://shop.example/report', description: '', mimeType: '' },
    },
  ],
}
const TEXT = Buffer.from(JSON.stringify(DEMAND))

/** How many offers are read of a 402 with this body; undefined when no demand is. */
async function offersOf(body: Uint8Array, encoding?: string): Promise<number | undefined> {
  const headers = new Map(encoding === undefined ? [] : [['content-encoding', encoding]])
  return (await readDemand({ kind: 'answered', status: 402, headers, body }))?.offers.length
}

describe('a demand in the body', () => {
  test.each([
    ['gzip', gzipSync(TEXT)],
    ['x-gzip', gzipSync(TEXT)],
    [' GZIP ', gzipSync(TEXT)],
    ['deflate', deflateSync(TEXT)],
    ['br', brotliCompressSync(TEXT)],
    // As proxies leave it that unpack and keep the header.
    ['gzip', TEXT],
    ['constructor', TEXT],
    ['identity', TEXT],
    ['', TEXT],
  ])('that its seller keeps packed is read: %s', async (encoding, body) => {
    expect(await offersOf(body, encoding)).toBe(1)
  })

  test.each([
    ['cut off', 'gzip', gzipSync(TEXT).subarray(0, -12)],
    ['packed twice', 'gzip, gzip', gzipSync(gzipSync(TEXT))],
    ['packed in a way that nobody knows', 'constructor', gzipSync(TEXT)],
    ['packed without a word', undefined, gzipSync(TEXT)],
  ])('that is %s is none', async (_, encoding, body) => {
    expect(await offersOf(body, encoding)).toBeUndefined()
  })

  /** JSON of a demand behind so many spaces. */
  const padded = (bytes: number) => Buffer.concat([Buffer.alloc(bytes - TEXT.length, ' '), TEXT])

  test('is read up to its bound, packed or not', async () => {
    const most = padded(limits.fetchDemandBytesMax)
    const more = padded(limits.fetchDemandBytesMax + 1)
    expect([await offersOf(most), await offersOf(gzipSync(most), 'gzip')]).toEqual([1, 1])
    expect([await offersOf(more), await offersOf(gzipSync(more), 'gzip')]).toEqual([
      undefined,
      undefined,
    ])
  })

  test('that would fill the memory when it is unpacked is given up at its bound', async () => {
    const zeros = Buffer.alloc(64 * 1024 * 1024)
    const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
    const bombs = [
      ['gzip', gzipSync(zeros)],
      ['gzip', Buffer.concat(Array.from({ length: 64 }, () => gzipSync(TEXT.subarray(0, 1_000))))],
      ['deflate', deflateSync(zeros)],
      ['br', brotliCompressSync(zeros, fast)],
    ] as const
    for (const [encoding, bomb] of bombs) expect(await offersOf(bomb, encoding)).toBeUndefined()
  })
})
