import {
  AccountRole,
  address,
  appendTransactionMessageInstruction,
  compileTransaction,
  createSolanaRpc,
  createTransactionMessage,
  getAddressEncoder,
  getBase64EncodedWireTransaction,
  getProgramDerivedAddress,
  partiallySignTransaction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import type { KeyPairSigner, Signature } from '@solana/kit'
import { until } from '@florin/server/kernel/until.ts'
import type { World } from './world.ts'

const TOKEN_PROGRAM = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const ASSOCIATED_PROGRAM = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')
/** SetAuthority of the account's owner, to somebody. Source: spl-token. */
const SET_OWNER = [6, 2, 1]

/** Makes a stranger the owner of an owner's associated account of USDC, as the SPL Token program lets it; `feePayer` pays for it. */
export async function giveAccountAway(
  world: World,
  owner: KeyPairSigner,
  feePayer: KeyPairSigner,
): Promise<Signature> {
  const rpc = createSolanaRpc(world.sandbox.solana.rpcUrl)
  const encoder = getAddressEncoder()
  const seeds = [owner.address, TOKEN_PROGRAM, address(world.sandbox.solana.usdc)]
  const [account] = await getProgramDerivedAddress({
    programAddress: ASSOCIATED_PROGRAM,
    seeds: seeds.map((seed) => encoder.encode(seed)),
  })
  const newOwner = encoder.encode(address(world.newAddress('solana')))
  const giveAway = {
    programAddress: TOKEN_PROGRAM,
    accounts: [
      { address: account, role: AccountRole.WRITABLE },
      { address: owner.address, role: AccountRole.READONLY_SIGNER },
    ],
    data: new Uint8Array([...SET_OWNER, ...newOwner]),
  }
  const { value: lifetime } = await rpc.getLatestBlockhash().send()
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayer(feePayer.address, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (timed) => appendTransactionMessageInstruction(giveAway, timed),
  )
  const signed = await partiallySignTransaction(
    [feePayer.keyPair, owner.keyPair],
    compileTransaction(message),
  )
  const wire = getBase64EncodedWireTransaction(signed)
  return rpc.sendTransaction(wire, { encoding: 'base64' }).send()
}

/** Waits until a transaction is in a block. */
export async function untilIncluded(world: World, signature: Signature): Promise<void> {
  const rpc = createSolanaRpc(world.sandbox.solana.rpcUrl)
  await until(
    'the account has changed hands',
    async () =>
      (await rpc.getSignatureStatuses([signature]).send()).value[0]?.confirmationStatus !==
      undefined,
    { seconds: 60 },
  )
}
