// Settles what a buyer sent with a wallet whose key never leaves this program: the buyer named it as the fee payer.
//   eval "$(npx florin env)"
//   SELLER_KEYFILE=id.json PAYMENT_HEADER=... node bin/florin.js exec examples/settle-own-solana.ts
import { readFile } from 'node:fs/promises'
import { Florin } from '@florin/sdk'
import {
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
} from '@solana/kit'

const { FLORIN_BASE_URL, FLORIN_API_KEY, FLORIN_SOLANA_RPC_URL } = process.env
const { SELLER_KEYFILE = '', PAYMENT_HEADER = '' } = process.env
if (SELLER_KEYFILE === '') throw new Error('SELLER_KEYFILE is a file that solana-keygen writes')
const bytes: unknown = JSON.parse(await readFile(SELLER_KEYFILE, 'utf8'))
if (!Array.isArray(bytes)) throw new Error('SELLER_KEYFILE is what solana-keygen writes')
const seller = await createKeyPairSignerFromBytes(Uint8Array.from(bytes, Number))
const node = createSolanaRpc(FLORIN_SOLANA_RPC_URL ?? '')
const florin = new Florin({ baseUrl: FLORIN_BASE_URL ?? '', apiKey: FLORIN_API_KEY ?? '' })

// Build: after every check of the proof, against your own words. It is yours alone until `expiresAt`.
const build = await florin.transactions.receive({
  walletAddress: seller.address,
  paymentProof: PAYMENT_HEADER,
  expectedAmount: '0.01',
})

// Inspect: the buyer wrote these bytes, and you sign all of them. Your wallet pays the fee and stands in no instruction.
const decode = (text: string) => getTransactionDecoder().decode(getBase64Encoder().encode(text))
const { messageBytes } = decode(build.transaction)
const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
const FEE_PAYER = 0
const isOnlyPayer =
  message.version === 0 &&
  message.staticAccounts[FEE_PAYER] === seller.address &&
  message.instructions.every(
    ({ programAddressIndex, accountIndices = [] }) =>
      programAddressIndex !== FEE_PAYER && !accountIndices.includes(FEE_PAYER),
  )
if (!isOnlyPayer) throw new Error('this asks more of the wallet than the fee')

// Sign: the client reads the bytes, too, and a settlement that moves anything else is not signed.
const signed = await florin.transactions.sign(build, seller)

// Broadcast in time, through a node of your own: after lastValidBlockHeight the chain refuses it.
if (Date.now() >= build.expiresAt) throw new Error('too late: ask the buyer for another payment')
const wire = getBase64EncodedWireTransaction(decode(signed))
await node.sendTransaction(wire, { encoding: 'base64', preflightCommitment: 'confirmed' }).send()
await florin.payments.wait(build.paymentId, { until: 'confirmed' })

// Deliver on the one success that there is for this proof.
const { status, signature } = await florin.payments.settle({ paymentId: build.paymentId })
console.log(`${build.paymentId} ${status} by ${signature}`)
