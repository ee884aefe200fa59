import { expect, test } from 'vitest'
import { NodeFailure } from '../chain.ts'
import { AnswerTooLong } from '../json-rpc/answer-too-long.ts'
import type { Read } from '../json-rpc/transport.ts'
import { openPieces } from '../pieces.ts'
import { transactionHashFrom } from './answer.ts'
import { readBlockTransactions } from './block-transactions.ts'
import { readBlocks, readHead } from './blocks.ts'
import { openKeptBlocks } from './kept-blocks.ts'

const word = (text: string) => `0x${text.padStart(64, '0')}`
const blockAt = (height: number, transactions: readonly unknown[] = [word(`7${height}`)]) => ({
  number: `0x${height.toString(16)}`,
  hash: word(`b${height}`),
  parentHash: word(`b${height - 1}`),
  timestamp: '0x1',
  transactionsRoot: word('7e'),
  transactions,
})
const wholeAt = (height: number) => blockAt(height, [{ hash: word(`7${height}`) }])

/** What a node says that answers so, and what it was asked. */
function nodeOf(answer: (name: unknown, isWhole: boolean, method: string) => unknown) {
  const asked: unknown[] = []
  const read = async <Value>({ method, params, parse }: Read<Value>): Promise<Value> => {
    asked.push(params)
    const [name, isWhole] = params
    const said = answer(name, isWhole === true, method)
    if (said instanceof Error) throw said
    return parse(said)
  }
  return { asked, read }
}

const TOO_LONG = new AnswerTooLong('the answer is too long')

test('a head that is too long with its transactions is read without them, and what is final beside it', async () => {
  const kept = openKeptBlocks()
  const node = nodeOf((name, isWhole) =>
    isWhole ? TOO_LONG : blockAt(name === 'latest' ? 100 : 64),
  )
  const head = await readHead(node, { kind: 'tag' }, { kept })
  expect(head).toMatchObject({ height: 100n, finalizedHeight: 64n, block: { height: 100n } })
  expect(kept.of(head)).toBeUndefined()
})

test('blocks of which one is too long with its transactions are read without them', async () => {
  const node = nodeOf((name, isWhole) =>
    isWhole && name === '0x6' ? TOO_LONG : isWhole ? wholeAt(Number(name)) : blockAt(Number(name)),
  )
  const heights = await readBlocks(node, 5n, 3, openKeptBlocks())
  expect(heights.map(({ height }) => height)).toEqual([5n, 6n, 7n])
})

test('a node that does not answer for a block with its transactions is not asked for less', async () => {
  const down = nodeOf(() => new NodeFailure('no answer'))
  const kept = openKeptBlocks()
  await expect(readHead(down, { kind: 'depth', blocks: 1 }, { kept })).rejects.toThrow('no answer')
  await expect(readBlocks(down, 5n, 1, kept)).rejects.toThrow('no answer')
  expect(down.asked).toHaveLength(2)
})

test('a block that is shown empty against its header is not kept as that, and is asked for again', async () => {
  const kept = openKeptBlocks()
  const node = nodeOf((_, isWhole, method) =>
    method === 'eth_getBlockByHash' ? blockAt(5) : blockAt(5, isWhole ? [] : [word('75')]),
  )
  const [block] = await readBlocks(node, 5n, 1, kept)
  expect(block?.transactionHashes).toEqual([word('75')])
  expect(kept.of({ hash: word('b5') })).toBeUndefined()
  const head = await readHead(node, { kind: 'depth', blocks: 1 }, { kept })
  expect(head.block).toBeUndefined()
  expect(kept.of({ hash: word('b5') })).toBeUndefined()
})

test('a block of another height than was asked for is none', async () => {
  const node = nodeOf(() => wholeAt(6))
  await expect(readBlocks(node, 5n, 1, openKeptBlocks())).rejects.toThrow(NodeFailure)
})

test('a block that is kept with fewer transactions than it was told to hold is asked for by its hash', async () => {
  const kept = openKeptBlocks()
  const [block] = await readBlocks(
    nodeOf(() => wholeAt(5)),
    5n,
    1,
    kept,
  )
  if (block === undefined) throw new Error('no block')
  const both = [word('75'), word('76')].map((each) => transactionHashFrom(each, 'hash'))
  const told = { ...block, transactionHashes: both }
  const node = nodeOf(() =>
    blockAt(
      5,
      both.map((hash) => ({ hash })),
    ),
  )
  const pieces = openPieces<readonly unknown[]>()
  const read = await readBlockTransactions(node, told, ({ hash }) => [hash], pieces, kept)
  expect(read?.found).toEqual(both)
  expect(node.asked).toEqual([[block.hash, true]])
  expect(kept.of(block)).toBeUndefined()
})
