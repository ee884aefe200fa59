import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startEvmNode } from './node.ts'

test('a height that is replaced is neither on disk nor final until it is read and written anew', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'florin-node-'))
  const node = await startEvmNode(directory, () => undefined)
  try {
    const { client } = node.running()
    for (let blocks = 0; blocks < 8; blocks += 1) await client.call('evm_mine')
    const save = async () => {
      await (
        await node.read()
      )()
    }
    await save()
    const head = Number(await client.call('eth_blockNumber'))
    expect(node.savedHeight()).toBe(head)
    node.noteReplaced(5)
    await client.call('anvil_reorg', [5, []])
    expect(node.savedHeight()).toBe(head - 5)
    expect(node.finalHeight()).toBe(head - 5)
    expect(node.unsavedBlocks()).toBe(5)
    await save()
    expect(node.savedHeight()).toBe(head)
    expect(node.finalHeight()).toBe(head - 2)
  } finally {
    await node.stop()
    rmSync(directory, { recursive: true, force: true })
  }
})
