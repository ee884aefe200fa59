import type { NetworkConfig } from '../../kernel/network-config.ts'
import { fieldsFrom } from '../json-rpc/answer.ts'
import type { Identity } from '../json-rpc/check-node.ts'
import { quantityFrom, wordFrom } from './answer.ts'
import { MULTICALL } from './multicall.ts'

const CHAIN_ID = { method: 'eth_chainId', params: [] }
const NEED = {
  call: { method: 'eth_getCode', params: [MULTICALL, 'latest'] },
  lacks: (code: unknown) =>
    code === '0x'
      ? `it shows no Multicall3 at ${MULTICALL}, by which balances and fees are read`
      : undefined,
}
const FIRST_BLOCK = { method: 'eth_getBlockByNumber', params: ['0x0', false] }

/** A node is known by its chain id, and by the hash of its first block where the configuration names one. */
export function identityOf({
  network,
  genesisHash,
}: Pick<NetworkConfig, 'network' | 'genesisHash'>): Identity {
  const expected = BigInt(network.slice('eip155:'.length))
  return {
    need: NEED,
    calls: genesisHash === undefined ? [CHAIN_ID] : [CHAIN_ID, FIRST_BLOCK],
    judge: ([id, first]) => {
      const answered = quantityFrom(id, 'chain id')
      if (answered !== expected) return `it is on chain ${answered}, not on chain ${expected}`
      if (genesisHash === undefined) return undefined
      const hash = wordFrom(fieldsFrom(first, 'first block')['hash'], 'block hash')
      return hash.toLowerCase() === genesisHash.toLowerCase()
        ? undefined
        : `its first block is ${hash}, not ${genesisHash}`
    },
  }
}
