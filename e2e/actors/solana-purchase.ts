import { generateKeyPairSync } from 'node:crypto'
import { createKeyPairSignerFromBytes } from '@solana/kit'
import type { KeyPairSigner } from '@solana/kit'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { PRICE } from './seller.ts'
import type { SettleBody } from './seller.ts'
import type { World } from './world.ts'

export const SOLANA = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'

/** Somebody with one USDC and a key of its own. */
export async function aSolanaPayer(world: World): Promise<KeyPairSigner> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)
  const spki = publicKey.export({ format: 'der', type: 'spki' })
  const signer = await createKeyPairSignerFromBytes(Buffer.concat([seed, spki.subarray(-32)]))
  await world.sandbox.fund(signer.address, 'USDC', '1')
  return signer
}

/**
 * A payer with one USDC who has signed a payment of 0.01 to a new address, made by the stock client. `seller`: who is paid and pays the
 * fee, in place of a key of the service's.
 */
export async function aSolanaPurchase(world: World, seller?: string): Promise<SettleBody> {
  return solanaPurchaseFrom(world, await aSolanaPayer(world), PRICE, seller)
}

/** The same by a payer who is there. `amount`: base units. `payer`: whose key pays the fee where a seller is named. */
export async function solanaPurchaseFrom(
  world: World,
  signer: KeyPairSigner,
  amount: bigint,
  seller?: string,
  payer: 'seller' | 'service' = 'seller',
): Promise<SettleBody> {
  const payTo = seller ?? world.newAddress('solana')
  if (seller === undefined) await world.sandbox.fund(payTo, 'USDC', '0.5')
  const service = world.service().settlers.find(({ family }) => family === 'solana')?.address
  const feePayer = payer === 'service' ? service : (seller ?? service)
  const paymentRequirements = {
    scheme: 'exact',
    network: SOLANA,
    asset: world.sandbox.solana.usdc,
    amount: `${amount}`,
    payTo,
    maxTimeoutSeconds: 60,
    extra: { feePayer },
  } as const
  const scheme = new ExactSvmScheme(signer, { rpcUrl: world.sandbox.solana.rpcUrl })
  const { payload } = await scheme.createPaymentPayload(2, paymentRequirements)
  const paymentPayload: Fields = { x402Version: 2, accepted: paymentRequirements, payload }
  return { payTo, body: { x402Version: 2, paymentPayload, paymentRequirements } }
}
