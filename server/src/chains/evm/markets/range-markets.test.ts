import { expect, test } from 'vitest'
import { systemClock } from '../../../kernel/clock.ts'
import type { Read } from '../../json-rpc/transport.ts'
import { transactionHashFrom } from '../answer.ts'
import { openRangeLogs } from '../range-logs.ts'
import { openMarketReader } from './market-reader.ts'

const word = (text: string) => `0x${text.padStart(64, '0')}`
const block = (height: number) => ({
  height: BigInt(height),
  hash: word(`b${height}`),
  parentHash: word(`b${height - 1}`),
  timeMilliseconds: 0,
  transactionHashes: [],
})

/** How many blocks were asked for their logs by hash, of two with a filter of other logs behind a range that showed none. */
async function askedByHash(isFiltered?: boolean): Promise<number> {
  let asked = 0
  const read = async <Value>({ method, params, parse }: Read<Value>): Promise<Value> => {
    const [first] = params
    if (method !== 'eth_getLogs')
      return parse({ hash: first, gasUsed: '0x5208', logsBloom: `0x${'1'.padStart(512, '0')}` })
    if (JSON.stringify(first).includes('blockHash')) asked += 1
    return parse([])
  }
  const unused = () => {
    throw new Error('nobody asks so')
  }
  const transport = { read, readLast: unused, tellAll: unused, tellEach: unused }
  const reader = openMarketReader(
    transport,
    [
      {
        venue: 'uniswap-v2',
        factory: '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6',
        router: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
        wrappedNative: '0x4200000000000000000000000000000000000006',
      },
    ],
    {
      ranges: openRangeLogs(transport, systemClock),
      ...(isFiltered === undefined ? {} : { isFiltered }),
    },
  )
  const blocks = [block(5), block(6)].map((each) => ({
    ...each,
    transactionHashes: [transactionHashFrom(word('7'), 'hash')],
  }))
  await reader.read(blocks)
  return asked
}

test('a filter says that no market moved only where filters hold every log', async () => {
  expect(await askedByHash(true)).toBe(0)
  expect(await askedByHash()).toBe(2)
})
