import type { OperationReference } from './operation-reference.ts'

export const listNetworks: OperationReference = {
  title: 'List networks',
  about: [
    'Every network that this installation is set up for, with its assets. The first one of a family is the default of that family.',
    '`height` and `healthy` say how far the service has followed the chain and whether it is following it now. `fees` is what the network asks for at this moment, at most a few seconds old; it is `null` while that is not known.',
  ],
  answer: {
    networks: [
      {
        network: 'eip155:84532',
        family: 'evm',
        name: 'Base Sepolia',
        assets: [
          { symbol: 'ETH', asset: 'native', decimals: 18 },
          {
            symbol: 'USDC',
            asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
            decimals: 6,
            eip712: { name: 'USDC', version: '2' },
          },
        ],
        releaseDepth: 1,
        finality: "the node's finalized block",
        height: 34118222,
        fees: {
          transfer: 0.00000448,
          transferBaseUnits: '4480000000000',
          priorityFee: 0.00000224,
          priorityFeeBaseUnits: '2240000000000',
          updatedAt: 1790000000000,
        },
        healthy: true,
        sandbox: false,
      },
      {
        network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
        family: 'solana',
        name: 'Solana Devnet',
        assets: [
          { symbol: 'SOL', asset: 'native', decimals: 9 },
          {
            symbol: 'USDC',
            asset: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
            decimals: 6,
          },
        ],
        releaseDepth: 0,
        finality: "the node's finalized block",
        height: null,
        fees: null,
        healthy: false,
        sandbox: false,
      },
    ],
  },
}
