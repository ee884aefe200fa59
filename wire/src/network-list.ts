import Type from 'typebox'
import { BaseUnitsText, Exactly, ExactNumber, Milliseconds, Nullable } from './fields.ts'

export const NetworkAsset = Exactly({
  symbol: Type.String({ description: 'What people call it; accepted as `asset` in requests.' }),
  asset: Type.String({ description: '`native`, or the address or mint of the token.' }),
  decimals: Type.Integer({ minimum: 0, description: 'Fraction digits of a whole unit.' }),
})

/** What a network asks for now, for one plain transfer of its native currency. */
export const NetworkFees = Exactly({
  transfer: ExactNumber,
  transferBaseUnits: BaseUnitsText,
  priorityFee: ExactNumber,
  priorityFeeBaseUnits: BaseUnitsText,
  updatedAt: Milliseconds,
})

export const NetworkInfo = Exactly({
  network: Type.String({ description: 'CAIP-2 id.' }),
  family: Type.Enum(['evm', 'solana']),
  name: Type.String(),
  assets: Type.Array(NetworkAsset),
  releaseDepth: Type.Integer({
    minimum: 0,
    description: 'Blocks on top of a payment before something may be released for it.',
  }),
  finality: Type.String({ description: 'The policy that decides `settled`.' }),
  height: Nullable(Type.Integer({ minimum: 0 })),
  fees: Nullable(NetworkFees),
  healthy: Type.Boolean({ description: 'Whether the network is being followed now.' }),
  sandbox: Type.Boolean(),
})

/** The answer of GET /networks: every enabled one, the default of each family first. */
export const NetworkList = Exactly({ networks: Type.Array(NetworkInfo) })
