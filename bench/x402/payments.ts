import { randomBytes } from 'node:crypto'
import { createSolanaRpc } from '@solana/kit'
import { getAddress } from 'viem'
import { parseAddress } from '@florin/server/chains/evm/account.ts'
import type { Address } from '@florin/server/chains/chain.ts'
import { domainSeparator, typedDataDigest } from '@florin/server/chains/evm/eip712.ts'
import { authorizationHash } from '@florin/server/chains/evm/eip3009.ts'
import { addressOfPrivateKey, signDigest } from '@florin/server/chains/evm/secp256k1.ts'
import { knownAddress } from '@florin/server/chains/solana/account.ts'
import {
  limit,
  memo,
  messageOf,
  newKey,
  price,
  sealed,
  transfer,
} from '@florin/server/chains/solana/test-payment.ts'
import type { SandboxHandle } from '../../e2e/actors/sandbox.ts'

/** Base units of USDC that each payment moves. */
export const AMOUNT = 1_000n
const NETWORK = { evm: 'eip155:84532', solana: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' } as const
const CHAIN_ID = 84_532n
const DOMAIN = { name: 'USDC', version: '2' } as const
const VALID_SECONDS = 3_600
const NONCE_BYTES = 32
const KEY_BYTES = 32
const SIGNATURE_RS_BYTES = 64
const V_OF_PARITY_0 = 27
const FUNDS = '1000'

/** Somebody with USDC and nothing else, who signs payments as fast as this machine can. */
export interface EvmPayer {
  readonly address: string
  /** What a seller hands to a facilitator, JSON; a new authorization each time. */
  pay(payTo: string): string
}

export async function newEvmPayers(
  sandbox: SandboxHandle,
  count: number,
): Promise<readonly EvmPayer[]> {
  const keys = Array.from({ length: count }, () => randomBytes(KEY_BYTES))
  const token = addressFrom(sandbox.usdc)
  const separator = domainSeparator({ ...DOMAIN, chainId: CHAIN_ID, verifyingContract: token })
  return await Promise.all(
    keys.map(async (key): Promise<EvmPayer> => {
      const from = addressOfPrivateKey(key)
      await sandbox.fund(from, 'USDC', FUNDS)
      return {
        address: from,
        pay: (payTo) => {
          const nonce = randomBytes(NONCE_BYTES)
          const validBeforeSeconds = BigInt(Math.floor(Date.now() / 1000) + VALID_SECONDS)
          const struct = authorizationHash({
            token,
            from,
            to: addressFrom(payTo),
            value: AMOUNT,
            validAfterSeconds: 0n,
            validBeforeSeconds,
            nonce,
          })
          const signature = signDigest(typedDataDigest(separator, struct), key)
          signature[SIGNATURE_RS_BYTES] = (signature[SIGNATURE_RS_BYTES] ?? 0) + V_OF_PARITY_0
          const payload = {
            signature: hex(signature),
            authorization: {
              from,
              to: payTo,
              value: `${AMOUNT}`,
              validAfter: '0',
              validBefore: `${validBeforeSeconds}`,
              nonce: hex(nonce),
            },
          }
          return bodyOf(NETWORK.evm, { asset: token, payTo, extra: DOMAIN }, payload)
        },
      }
    }),
  )
}

/** An address of nobody. */
export function newEvmAddress(): string {
  return getAddress(hex(randomBytes(20)))
}

/** Payments of one Solana payer, none of which is ever submitted: valid for a minute from now. */
export async function solanaPayments(
  { solana }: SandboxHandle,
  { payer, seller }: SolanaScene,
  feePayer: string,
  count: number,
): Promise<readonly string[]> {
  const { value } = await createSolanaRpc(solana.rpcUrl).getLatestBlockhash().send()
  const lifetime = { blockhash: knownAddress(value.blockhash) }
  const moves = transfer({ from: payer.address, to: seller, amount: AMOUNT })
  return Array.from({ length: count }, () => {
    const steps = [limit(20_000), price(1n), moves, memo(randomBytes(16).toString('hex'))]
    const message = messageOf(knownAddress(feePayer), steps, lifetime)
    const transaction = Buffer.from(sealed(message, [payer])).toString('base64')
    const terms = { asset: solana.usdc, payTo: seller, extra: { feePayer } }
    return bodyOf(NETWORK.solana, terms, { transaction })
  })
}

export interface SolanaScene {
  readonly payer: ReturnType<typeof newKey>
  /** Has a token account: the scheme makes none. */
  readonly seller: Address
}

export async function newSolanaScene(sandbox: SandboxHandle): Promise<SolanaScene> {
  const payer = newKey()
  const seller = newKey().address
  await sandbox.fund(payer.address, 'USDC', FUNDS)
  await sandbox.fund(seller, 'USDC', '1')
  return { payer, seller }
}

function bodyOf(
  network: string,
  { asset, payTo, extra }: { asset: string; payTo: string; extra: object },
  payload: object,
): string {
  const paymentRequirements = {
    scheme: 'exact',
    network,
    asset,
    amount: `${AMOUNT}`,
    payTo,
    maxTimeoutSeconds: 60,
    extra,
  }
  return JSON.stringify({
    x402Version: 2,
    paymentPayload: { x402Version: 2, accepted: paymentRequirements, payload },
    paymentRequirements,
  })
}

function addressFrom(text: string): Address {
  const address = parseAddress(text)
  if (address === undefined) throw new Error(`no address: ${text}`)
  return address
}

function hex(bytes: Uint8Array): `0x${string}` {
  return `0x${Buffer.from(bytes).toString('hex')}`
}
