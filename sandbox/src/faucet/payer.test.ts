import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startEvmNode } from '../evm/node.ts'
import { readOrder } from './order.ts'
import { openPayer } from './payer.ts'

test('whoever makes blocks is told of an order that was sent, and of nothing before', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'florin-payer-'))
  const node = await startEvmNode(directory, () => undefined)
  try {
    let mined: Promise<void> | undefined
    const pool: unknown[] = []
    // Nobody else makes a block here: an order of which nobody was told would never be paid.
    const payer = openPayer(node, () => {
      mined ??= (async () => {
        const { client } = node.running()
        pool.push(await client.call('txpool_status'))
        await client.call('evm_mine')
        await (
          await node.read()
        )()
      })()
    })
    const read = readOrder({ address: '0x00000000000000000000000000000000000000a1' }, [])
    if (!('chain' in read) || read.chain !== 'evm') throw new Error('no order')
    expect(await payer.pay(read)).toMatchObject({ ok: true })
    await mined
    expect(pool).toMatchObject([{ pending: '0x1' }])
  } finally {
    await node.stop()
    rmSync(directory, { recursive: true, force: true })
  }
})
