import { getCreateAccountInstruction, getTransferSolInstruction } from '@solana-program/system'
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeMint2Instruction,
  getMintToInstruction,
} from '@solana-program/token'
import {
  address,
  appendTransactionMessageInstructions,
  blockhash,
  createKeyPairSignerFromBytes,
  createTransactionMessage,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import type { Instruction, KeyPairSigner } from '@solana/kit'
import { FINAL_DEPTH } from '../solana/chain-facts.ts'
import type { SolanaChain } from '../solana/chain/chain.ts'
import { TOKEN_2022_PROGRAM } from '../solana/chain/program-addresses.ts'
import { readWire } from '../solana/chain/wire-transaction.ts'
import { keyOf } from './keys.ts'
import { METADATA_POINTER_MINT_BYTES, metadataBytes, tokenMetadata } from './metadata.ts'
import { metaplexAccount } from './metaplex.ts'
import { TOKEN_PLANS } from './token.ts'
import type { MakerToken, TokenPlan } from './token.ts'

const MAKER_LAMPORTS = 1_000_000n * 10n ** 9n
const MINT_BYTES = 82
const URI = 'https://sandbox.invalid/'

/**
 * The maker's tokens and its money. What the chain does not have yet is made now, by ordinary transactions that the maker signs: a new
 * chain begins with them, and one from before the maker gets them at its next start.
 */
export async function listTokens(
  chain: SolanaChain,
  maker: KeyPairSigner,
): Promise<readonly MakerToken[]> {
  const faucet = await createKeyPairSignerFromBytes(Buffer.from(chain.identity.faucetKey, 'base64'))
  const { svm } = chain.bank
  const before = chain.bank.records.lines().length
  if (svm.read(maker.address) === undefined) {
    const amount = MAKER_LAMPORTS
    const give = getTransferSolInstruction({ source: faucet, destination: maker.address, amount })
    await run(chain, faucet, [give])
  }
  const tokens: MakerToken[] = []
  for (const plan of TOKEN_PLANS) {
    const key = await keyOf(chain.identity, `mint ${plan.symbol}`)
    const mint = plan.mint === null ? key.address : address(plan.mint)
    const owner = maker.address
    const [account] = await findAssociatedTokenPda({ owner, mint, tokenProgram: plan.program })
    const token = { ...plan, mint, account }
    tokens.push(token)
    if (svm.read(account) !== undefined) continue
    const make = plan.mint === null ? mintInstructions(chain, plan, { maker, faucet, key }) : []
    await run(chain, maker, [
      ...make,
      getCreateAssociatedTokenIdempotentInstruction({
        payer: maker,
        ata: account,
        owner,
        mint,
        tokenProgram: plan.program,
      }),
      getMintToInstruction(
        { mint, token: account, mintAuthority: faucet, amount: plan.supply },
        { programAddress: plan.program },
      ),
    ])
    if (plan.mint === null && plan.program !== TOKEN_2022_PROGRAM) {
      const { name, symbol } = plan
      const { place, data } = await metaplexAccount({
        mint,
        authority: faucet.address,
        name,
        symbol,
      })
      // The program that would write it is not among those of the machine.
      svm.write(place, data(svm.rentExemptMinimum))
    }
  }
  // Whoever finds the chain ready finds its tokens, too, at every commitment.
  if (chain.bank.records.lines().length > before) await chain.advance(FINAL_DEPTH + 1)
  return tokens
}

/** An empty mint of a plan; one of Token-2022 says its own name. */
function mintInstructions(
  { bank }: SolanaChain,
  { name, symbol, decimals, program }: TokenPlan,
  { maker, faucet, key }: Record<'maker' | 'faucet' | 'key', KeyPairSigner>,
): readonly Instruction[] {
  const isNamed = program === TOKEN_2022_PROGRAM
  const told = { mint: key.address, authority: faucet, name, symbol, uri: `${URI}${symbol}` }
  const space = isNamed ? METADATA_POINTER_MINT_BYTES : MINT_BYTES
  const bytes = space + (isNamed ? metadataBytes(told) : 0)
  const { pointer, metadata } = tokenMetadata(told)
  const create = getCreateAccountInstruction({
    payer: maker,
    newAccount: key,
    lamports: bank.svm.rentExemptMinimum(bytes),
    space,
    programAddress: program,
  })
  const initialize = getInitializeMint2Instruction(
    { mint: key.address, decimals, mintAuthority: faucet.address, freezeAuthority: null },
    { programAddress: program },
  )
  return isNamed ? [create, pointer, initialize, metadata] : [create, initialize]
}

async function run(
  { bank, submit }: SolanaChain,
  payer: KeyPairSigner,
  instructions: readonly Instruction[],
): Promise<void> {
  const recent = bank.open().previousHash
  const lifetime = {
    blockhash: blockhash(recent),
    lastValidBlockHeight: BigInt(bank.lastValidHeight(recent) ?? 0),
  }
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (draft) => setTransactionMessageFeePayerSigner(payer, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
    (draft) => appendTransactionMessageInstructions([...instructions], draft),
  )
  const transaction = await signTransactionMessageWithSigners(message)
  const wire = readWire(Uint8Array.from(getTransactionEncoder().encode(transaction)))
  if (wire === undefined) throw new Error('the maker built no transaction')
  submit(wire)
  const { error } = bank.records.get(wire.signature) ?? { error: 'it did not land' }
  if (error !== null) throw new Error(`the maker has no tokens: ${JSON.stringify(error)}`)
}
