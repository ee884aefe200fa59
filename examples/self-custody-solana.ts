// Pays 0.25 SOL from a wallet whose key never leaves this program.
//   eval "$(npx florin env)"
//   PAYER_KEYFILE=id.json node bin/florin.js exec examples/self-custody-solana.ts
import { readFile } from 'node:fs/promises'
import { Florin } from '@florin/sdk'
import {
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  decompileTransactionMessage,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
} from '@solana/kit'
import type { Instruction } from '@solana/kit'

const { FLORIN_BASE_URL, FLORIN_API_KEY, FLORIN_SOLANA_RPC_URL } = process.env
const { PAYER_KEYFILE = '', FLORIN_WALLET_SOLANA_2 = '' } = process.env
if (PAYER_KEYFILE === '') throw new Error('PAYER_KEYFILE is a file that solana-keygen writes')
const bytes: unknown = JSON.parse(await readFile(PAYER_KEYFILE, 'utf8'))
if (!Array.isArray(bytes)) throw new Error('PAYER_KEYFILE is what solana-keygen writes')
const payer = await createKeyPairSignerFromBytes(Uint8Array.from(bytes, Number))
const node = createSolanaRpc(FLORIN_SOLANA_RPC_URL ?? '')
const florin = new Florin({ baseUrl: FLORIN_BASE_URL ?? '', apiKey: FLORIN_API_KEY ?? '' })

// Build. The record exists from here on, and the service looks for it on chain.
const build = await florin.transactions.build({
  walletAddress: payer.address,
  recipientAddress: FLORIN_WALLET_SOLANA_2,
  amount: '0.25',
})

// Inspect, with a library of your own choice: nothing of the service has to be believed.
const decode = (text: string) => getTransactionDecoder().decode(getBase64Encoder().encode(text))
const { messageBytes } = decode(build.transaction)
const compiled = getCompiledTransactionMessageDecoder().decode(messageBytes)
const message = decompileTransactionMessage(compiled)
const instructions: readonly Instruction[] = message.instructions
const programs = instructions.map(({ programAddress }) => String(programAddress))
const moves = instructions.find(({ programAddress }) => /^1{32}$/.test(programAddress))
const data = Buffer.from(moves?.data ?? [])
const isMine =
  message.feePayer.address === payer.address &&
  programs.every((program) => /^(1{32}|ComputeBudget1+|MemoSq4gq\w+)$/.test(program)) &&
  programs.filter((program) => /^1{32}$/.test(program)).length === 1 &&
  moves?.accounts?.[1]?.address === FLORIN_WALLET_SOLANA_2 &&
  data.readUInt32LE(0) === 2 &&
  data.readBigUInt64LE(4) === 250_000_000n
if (!isMine) throw new Error('this is not what was ordered')

// Simulate.
const rehearsal = await florin.transactions.simulate({
  transaction: build.transaction,
  network: build.network,
})
if (!rehearsal.succeeds) throw new Error(`it would fail: ${rehearsal.error}`)

// Sign and broadcast in time, through a node of your own: after lastValidBlockHeight the chain refuses it.
const signed = await florin.transactions.sign(build, payer)
if (Date.now() >= build.expiresAt) throw new Error('too late: build it anew')
const wire = getBase64EncodedWireTransaction(decode(signed))
await node.sendTransaction(wire, { encoding: 'base64', preflightCommitment: 'confirmed' }).send()

const payment = await florin.payments.wait(build.paymentId, { until: 'settled' })
console.log(`${payment.paymentId} ${payment.status} in block ${payment.blockHeight}`)
