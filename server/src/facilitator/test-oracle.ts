import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/facilitator'
import { SettlementCache, toFacilitatorSvmSigner } from '@x402/svm'
import { ExactSvmScheme } from '@x402/svm/exact/facilitator'
import { ExactSvmSchemeV1 } from '@x402/svm/exact/v1/facilitator'
import { UptoEvmScheme } from '@x402/evm/upto/facilitator'
import { createPublicClient, http } from 'viem'
import { baseSepolia } from 'viem/chains'
import type { Family } from '@florin/wire/network.ts'
import { fieldsOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { ConnectOptions } from '../chains/connect-options.ts'
import { connectEvm } from '../chains/evm/connect.ts'
import { connectSolana } from '../chains/solana/connect.ts'
import { systemClock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import { parseAddress as parseEvmAddress } from '../chains/evm/account.ts'
import type { TestChain as EvmWorld } from '../chains/evm/test-chain.ts'
import type { TestChain as SolanaWorld } from '../chains/solana/test-chain.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import type { Store } from '../store/postgres.ts'
import type { Seen } from './test-differences.ts'
import type { Presented } from './intake.ts'
import { verifyAnswer } from './answer.ts'
import { EVM_SETTLER, SOLANA_SETTLER } from './test-settlers.ts'
import { verifyPayment } from './verify.ts'

/** A payment as JSON would carry it, with a name for the report. */
export interface Presentation {
  readonly name: string
  readonly presented: Presented
}

/** Ours and the reference on the same chain, with the same keys to pay fees. */
export interface Oracle {
  judge(presentation: Presentation): Promise<Seen>
}

type Scheme = Pick<ExactEvmScheme, 'verify'>

/** Bounds as ours, where the reference has a setting for them. */
const BOUNDS = { maxComputeUnits: 200_000, maxRequiredSignatures: 2 }

export function evmOracle(world: EvmWorld, store: Store): Oracle {
  const transport = http(world.sandbox.rpcUrl, { batch: true })
  const client = createPublicClient({ chain: baseSepolia, transport })
  const never = async (): Promise<never> => {
    throw new Error('a verification sends nothing')
  }
  const signer = toFacilitatorEvmSigner({
    address: EVM_SETTLER,
    // A client of a wallet asks as that wallet: whoever settles `upto` counts.
    readContract: (call) => client.readContract({ ...call, account: EVM_SETTLER }),
    verifyTypedData: never,
    writeContract: never,
    sendTransaction: never,
    waitForTransactionReceipt: never,
    getCode: (call) => client.getCode(call),
  })
  const settler = parseEvmAddress(EVM_SETTLER)
  if (settler === undefined) throw new Error('no address')
  const [exact, upto] = [new ExactEvmScheme(signer), new UptoEvmScheme(signer)]
  const byScheme: Scheme = {
    verify: (payment, requirements, context) =>
      requirements.scheme === upto.scheme
        ? upto.verify(payment, requirements, context)
        : exact.verify(payment, requirements, context),
  }
  const schemes = { 1: new ExactEvmSchemeV1(signer), 2: byScheme }
  return oracle(connectEvm(connection(world.chain)), store, settler, schemes)
}

export async function solanaOracle(world: SolanaWorld, store: Store): Promise<Oracle> {
  const key = await createKeyPairSignerFromPrivateKeyBytes(SOLANA_SETTLER.secret)
  const signer = toFacilitatorSvmSigner(key, { defaultRpcUrl: world.sandbox.solana.rpcUrl })
  const cache = new SettlementCache()
  const schemes = {
    1: new ExactSvmSchemeV1(signer, cache),
    2: new ExactSvmScheme(signer, cache, BOUNDS),
  }
  return oracle(connectSolana(connection(world.chain)), store, SOLANA_SETTLER.address, schemes)
}

/** A busy machine is no finding: both judges wait as long as it takes. */
function connection({ config }: Chain): ConnectOptions {
  return { config, log: openLog('silent'), clock: systemClock, callSeconds: 20 }
}

function oracle(
  chain: Chain,
  store: Store,
  settler: Address,
  schemes: Readonly<Record<1 | 2, Scheme>>,
): Oracle {
  const accountId = newId(systemRandom, 'acct')
  const { family, network } = chain.config
  const chains = new Map([[network, chain]])
  const settlersOf = (asked: Family): ReadonlySet<Address> =>
    new Set(asked === family ? [settler] : [])
  const oursOf = async (presented: Presented): Promise<string> => {
    const records = { state: async () => undefined }
    // Nothing is claimed here, so accounts alone may tell.
    const deps = { store, chains, settlersOf, records, claimOf: async () => undefined }
    const verified = await verifyPayment(deps, accountId, presented)
    const answer = verifyAnswer(verified, presented)
    return 'invalidReason' in answer ? answer.invalidReason : 'valid'
  }
  return {
    judge: async ({ name, presented }) => {
      const said = presented.x402Version ?? fieldsOf(presented.paymentPayload)?.['x402Version']
      const version = said === 1 ? 1 : 2
      const [ours, theirs] = await Promise.all([
        oursOf(presented),
        theirsOf(schemes[version], presented),
      ])
      return { name, family, version, presented, ours, theirs }
    },
  }
}

async function theirsOf(scheme: Scheme, presented: Presented): Promise<string> {
  try {
    const { isValid, invalidReason } = await scheme.verify(
      parsed(presented.paymentPayload) as PaymentPayload,
      parsed(presented.paymentRequirements) as PaymentRequirements,
    )
    return isValid ? 'valid' : String(invalidReason)
  } catch {
    return 'throws'
  }
}

/** As it comes over the wire. */
function parsed(value: unknown): Fields {
  return JSON.parse(JSON.stringify(value) ?? 'null') as Fields
}
