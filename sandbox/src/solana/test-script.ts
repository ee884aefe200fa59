import { getCreateAccountInstruction, getTransferSolInstruction } from '@solana-program/system'
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeMint2Instruction,
  getMintSize,
  getMintToInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import {
  airdropFactory,
  assertIsTransactionWithBlockhashLifetime,
  blockhash,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  lamports,
} from '@solana/kit'
import { signV1 } from '../../../e2e/actors/version-one.ts'
import { testClient } from './test-client.ts'

const SOL = 1_000_000_000n

/** What one node did and said, under names that do not depend on it. */
export type Observations = Readonly<Record<string, unknown>>

/** The same work on any Solana node: money by airdrop, a mint, transfers, refusals, reads. */
export async function runScript(solana: {
  readonly rpcUrl: string
  readonly wsUrl: string
}): Promise<Observations> {
  const client = testClient({ solana })
  const { rpc, raw } = client
  const [payer, mint, owner] = await Promise.all([
    client.newKey(),
    client.newKey(),
    client.newKey(),
  ])
  const airdrop = airdropFactory({ rpc, rpcSubscriptions: client.subscriptions })
  await airdrop({
    commitment: 'confirmed',
    recipientAddress: payer.address,
    lamports: lamports(10n * SOL),
  })
  const confirm = async (instructions: Parameters<typeof client.sign>[1]): Promise<string> => {
    const signed = await client.sign(payer, instructions)
    assertIsTransactionWithBlockhashLifetime(signed)
    await client.sendAndConfirm(signed, { commitment: 'confirmed' })
    return getSignatureFromTransaction(signed)
  }
  const tokenProgram = TOKEN_PROGRAM_ADDRESS
  const space = BigInt(getMintSize())
  const rent = await rpc.getMinimumBalanceForRentExemption(space).send()
  const [from] = await findAssociatedTokenPda({
    owner: payer.address,
    mint: mint.address,
    tokenProgram,
  })
  const [to] = await findAssociatedTokenPda({
    owner: owner.address,
    mint: mint.address,
    tokenProgram,
  })
  await confirm([
    getCreateAccountInstruction({
      payer,
      newAccount: mint,
      lamports: rent,
      space,
      programAddress: tokenProgram,
    }),
    getInitializeMint2Instruction({
      mint: mint.address,
      decimals: 6,
      mintAuthority: payer.address,
    }),
    getCreateAssociatedTokenIdempotentInstruction({
      payer,
      ata: from,
      owner: payer.address,
      mint: mint.address,
    }),
    getMintToInstruction({
      mint: mint.address,
      token: from,
      mintAuthority: payer,
      amount: 5_000_000n,
    }),
  ])
  const paid = await confirm([
    getCreateAssociatedTokenIdempotentInstruction({
      payer,
      ata: to,
      owner: owner.address,
      mint: mint.address,
    }),
    getTransferCheckedInstruction({
      source: from,
      mint: mint.address,
      destination: to,
      authority: payer,
      amount: 1_250_000n,
      decimals: 6,
    }),
    getTransferSolInstruction({ source: payer, destination: owner.address, amount: SOL }),
  ])

  const sol = async (amount: bigint, within?: Awaited<ReturnType<typeof client.lifetime>>) =>
    await client.transfer(payer, owner.address, amount, within)
  const send = async (wire: string, config: object = {}): Promise<unknown> => {
    const { error } = await raw('sendTransaction', [
      wire,
      { encoding: 'base64', preflightCommitment: 'processed', ...config },
    ])
    return error === undefined
      ? 'sent'
      : { code: error.code, message: error.message, data: error.data }
  }
  const within = await client.lifetime()
  const unknownHash = { ...within, blockhash: blockhash(mint.address) }
  const dear = await sol(1_000n * SOL)
  const failing = await sol(1_001n * SOL)
  const stranger = await client.transfer(owner, payer.address, 3n * SOL)
  const nobody = await client.transfer(await client.newKey(), payer.address, 1n)
  const rehearsal = await client.sign(payer, [
    getTransferSolInstruction({ source: payer, destination: owner.address, amount: 1n }),
  ])
  const newer = await signV1(
    payer,
    [getTransferSolInstruction({ source: payer, destination: owner.address, amount: SOL })],
    await client.lifetime(),
  )
  assertIsTransactionWithBlockhashLifetime(newer.signed)
  await client.sendAndConfirm(newer.signed, { commitment: 'confirmed' })
  const confirmed = { commitment: 'confirmed' }
  const parsed = { ...confirmed, encoding: 'jsonParsed', maxSupportedTransactionVersion: 0 }
  const value = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const { result, error } = await raw(method, params)
    if (error !== undefined) return { code: error.code }
    return typeof result === 'object' && result !== null && 'value' in result
      ? result.value
      : result
  }
  return {
    'a transaction in words': await value('getTransaction', [paid, parsed]),
    'a transaction as it is': await value('getTransaction', [
      paid,
      { ...parsed, encoding: 'json' },
    ]),
    'a transaction of version 1 in words': await value('getTransaction', [
      newer.signature,
      { ...parsed, maxSupportedTransactionVersion: 1 },
    ]),
    'a transaction of version 1 as it is': await value('getTransaction', [
      newer.signature,
      { ...parsed, encoding: 'json', maxSupportedTransactionVersion: 1 },
    ]),
    'a token account in words': await value('getAccountInfo', [to, parsed]),
    'a mint in words': await value('getAccountInfo', [mint.address, parsed]),
    'a wallet in words': await value('getAccountInfo', [owner.address, parsed]),
    'a wallet in base64': await value('getAccountInfo', [
      owner.address,
      { ...confirmed, encoding: 'base64' },
    ]),
    'an account that is not there': await value('getAccountInfo', [
      (await client.newKey()).address,
      confirmed,
    ]),
    'a token balance': await value('getTokenAccountBalance', [to, confirmed]),
    'a SOL balance': await value('getBalance', [owner.address, confirmed]),
    'token accounts of an owner': await value('getTokenAccountsByOwner', [
      owner.address,
      { mint: mint.address },
      parsed,
    ]),
    'a status': await value('getSignatureStatuses', [[paid]]),
    'a fee': await value('getFeeForMessage', [
      Buffer.from(Uint8Array.from(rehearsal.messageBytes)).toString('base64'),
      confirmed,
    ]),
    'a rehearsal': await value('simulateTransaction', [
      getBase64EncodedWireTransaction(rehearsal),
      { encoding: 'base64', ...confirmed, sigVerify: true, innerInstructions: true },
    ]),
    'a rent': await value('getMinimumBalanceForRentExemption', [165]),
    'a blockhash': await value('getLatestBlockhash', [confirmed]),
    'an unknown blockhash': await value('isBlockhashValid', [mint.address, confirmed]),
    'a send with an unknown blockhash': await send((await sol(1n, unknownHash)).wire),
    'a send of too much': await send(dear.wire),
    'a send of too much, unrehearsed': await send(failing.wire, { skipPreflight: true }),
    'a send by somebody without enough': await send(stranger.wire),
    'a send by nobody': await send(nobody.wire),
    'an unknown method': await value('nothingOfThatName', []),
    'a bad address': await value('getBalance', ['x']),
    'a transaction that nobody sent': await value('getTransaction', [dear.signature, parsed]),
  }
}
