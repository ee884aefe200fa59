import Type from 'typebox'
import { BaseUnitsText, Exactly, ExactNumber, Milliseconds, Nullable, Said } from './fields.ts'

export const NetworkAsset = Exactly({
  symbol: Type.String({ description: 'What people call it; accepted as `asset` in requests.' }),
  asset: Type.String({ description: '`native`, or the address or mint of the token.' }),
  decimals: Type.Integer({ minimum: 0, description: 'Fraction digits of a whole unit.' }),
  isCurrency: Type.Optional(
    Type.Literal(true, {
      description:
        'It is the native currency under another name: one balance, whichever of the two pays.',
    }),
  ),
  eip712: Type.Optional(
    Said(
      "EVM: the token's domain, in which a payer of x402 signs.",
      Exactly({ name: Type.String(), version: Type.String() }),
    ),
  ),
})

/** What a network asks for now, for one plain transfer of its native currency. */
export const NetworkFees = Exactly({
  transfer: Said('All that the network takes, in native currency.', ExactNumber),
  transferBaseUnits: Said('The same in the smallest unit.', BaseUnitsText),
  priorityFee: Said(
    'Of it, the priority fee that is offered when a request names none.',
    ExactNumber,
  ),
  priorityFeeBaseUnits: Said('The same in the smallest unit.', BaseUnitsText),
  updatedAt: Milliseconds,
})

export const NetworkInfo = Exactly({
  network: Type.String({ description: 'CAIP-2 id.' }),
  family: Type.Enum(['evm', 'solana'], { description: 'Which kind of chain it is.' }),
  name: Type.String({ description: 'What the operator calls it.' }),
  assets: Type.Array(NetworkAsset, { description: 'What can be paid; native currency first.' }),
  releaseDepth: Type.Integer({
    minimum: 0,
    description: 'Blocks on top of a payment before something may be released for it.',
  }),
  finality: Type.String({ description: 'The policy that decides `settled`.' }),
  height: Said(
    'Block, or slot, up to which the network was followed; null before the first.',
    Nullable(Type.Integer({ minimum: 0 })),
  ),
  fees: Said(
    'What one plain payment of native currency costs now; null while that is not known.',
    Nullable(NetworkFees),
  ),
  healthy: Type.Boolean({ description: 'Whether the network is being followed now.' }),
  sandbox: Type.Boolean({ description: 'A local chain whose money is worth nothing.' }),
})

/** The answer of GET /networks: every enabled one, the default of each family first. */
export const NetworkList = Exactly({ networks: Type.Array(NetworkInfo) })
