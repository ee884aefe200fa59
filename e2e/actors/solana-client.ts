import { generateKeyPairSync } from 'node:crypto'
import { address, createSolanaRpc, getAddressDecoder } from '@solana/kit'
import type { SandboxHandle } from './sandbox.ts'

const RAW_KEY_AT = 12

/** A fresh address that a key controls and nobody has used. */
export function newSolanaAddress(): string {
  const { publicKey } = generateKeyPairSync('ed25519')
  const spki = publicKey.export({ format: 'der', type: 'spki' })
  return getAddressDecoder().decode(new Uint8Array(spki.subarray(RAW_KEY_AT)))
}

/** The chain's own word on a balance at `confirmed`, base units; 0 for a token account that does not exist. */
export async function solanaBalance(
  { rpcUrl, usdc }: Pick<SandboxHandle['solana'], 'rpcUrl' | 'usdc'>,
  owner: string,
  asset: 'native' | 'USDC',
): Promise<bigint> {
  const rpc = createSolanaRpc(rpcUrl)
  const commitment = 'confirmed'
  if (asset === 'native') return (await rpc.getBalance(address(owner), { commitment }).send()).value
  const accounts = await rpc
    .getTokenAccountsByOwner(
      address(owner),
      { mint: address(usdc) },
      { commitment, encoding: 'jsonParsed' },
    )
    .send()
  return accounts.value.reduce(
    (sum, { account }) => sum + BigInt(account.data.parsed.info.tokenAmount.amount),
    0n,
  )
}
