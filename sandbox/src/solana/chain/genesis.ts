import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { address, getAddressDecoder } from '@solana/kit'
import { getMintEncoder } from '@solana-program/token'
import { SOLANA_USDC, SOLANA_USDC_DECIMALS } from '../chain-facts.ts'
import { base58Of } from './block.ts'
import type { Block } from './block.ts'
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from './program-addresses.ts'
import type { SolanaIdentity } from './saved-chain.ts'
import { openSvm } from './svm.ts'
import type { Svm } from './svm.ts'

/** Above 2^53 on purpose: a client that reads lamports as doubles is found out here. */
const FAUCET_LAMPORTS = 500_000_000_000_000_001n
/** Apart, so that whoever takes one for the other is found out here. */
const FIRST_SLOT = 1_000
const FIRST_HEIGHT = 900

export function newIdentity(instance: string): SolanaIdentity {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const key = Buffer.concat([lastBytes(privateKey, 'pkcs8'), lastBytes(publicKey, 'spki')])
  return {
    instance,
    genesisHash: base58Of(randomBytes(32)),
    faucetKey: key.toString('base64'),
  }
}

export function faucetAddress({ faucetKey }: SolanaIdentity): string {
  return getAddressDecoder().decode(Buffer.from(faucetKey, 'base64').subarray(32))
}

/** A machine with the faucet's funds and devnet's USDC, and its first block. */
export function genesis(identity: SolanaIdentity, unixSeconds: number): { svm: Svm; block: Block } {
  const svm = openSvm()
  const faucet = address(faucetAddress(identity))
  svm.write(faucet, {
    lamports: FAUCET_LAMPORTS,
    owner: SYSTEM_PROGRAM,
    executable: false,
    data: new Uint8Array(),
  })
  const mint = getMintEncoder().encode({
    mintAuthority: faucet,
    supply: 0n,
    decimals: SOLANA_USDC_DECIMALS,
    isInitialized: true,
    freezeAuthority: null,
  })
  svm.write(SOLANA_USDC, {
    lamports: svm.rentExemptMinimum(mint.length),
    owner: TOKEN_PROGRAM,
    executable: false,
    data: Uint8Array.from(mint),
  })
  const block: Block = {
    slot: FIRST_SLOT,
    parentSlot: FIRST_SLOT - 1,
    height: FIRST_HEIGHT,
    previousHash: identity.genesisHash,
    hash: undefined,
    time: unixSeconds,
    signatures: [],
    before: new Map(),
  }
  return { svm, block }
}

/** The raw 32 bytes end both formats. */
function lastBytes(
  key: { export(options: { format: 'der'; type: 'pkcs8' | 'spki' }): Buffer },
  type: 'pkcs8' | 'spki',
): Buffer {
  return key.export({ format: 'der', type }).subarray(-32)
}
