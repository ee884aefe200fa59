import type { Address, ModuleMint, ModuleTools } from './venue-api.ts'

/** Of the published interface, `@pump-fun/pump-sdk` 2.0.0: `pump.json` and `pump_fees.json`. */
export const PROGRAM = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P'
const FEE_PROGRAM = 'pfeeUxB6jkeY1Hxd7CsFCAjcbHA9rWtchMGdZ6VojVZ'
const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
const NATIVE_MINT = 'So11111111111111111111111111111111111111112'
const NOBODY = '11111111111111111111111111111111'

/** Accounts of the two programs, by what the interface calls them. */
export interface Addresses {
  readonly program: Address
  readonly feeProgram: Address
  readonly associatedTokenProgram: Address
  readonly systemProgram: Address
  readonly tokenPrograms: readonly Address[]
  /** Lamports as a token: how a curve in lamports is named. */
  readonly native: ModuleMint
  /** All zeros: what an account that was never set reads as. */
  readonly nobody: Address
  readonly global: Address
  readonly globalVolume: Address
  readonly feeConfig: Address
  readonly eventAuthority: Address
  curve(mint: Address): Address
  creatorVault(creator: Address): Address
  sharingConfig(mint: Address): Address
  userVolume(user: Address): Address
}

/** Finds them by the seeds that the interface gives. */
export function addressesBy(tools: ModuleTools): Addresses {
  const [program, feeProgram] = [tools.knownAddress(PROGRAM), tools.knownAddress(FEE_PROGRAM)]
  const seed = (text: string) => new TextEncoder().encode(text)
  const of = (text: string, key?: Address): Address =>
    tools.derived(program, [seed(text), ...(key === undefined ? [] : [tools.addressBytes(key)])])
  const tokenProgram = tools.knownAddress(TOKEN_PROGRAM)
  return {
    program,
    feeProgram,
    associatedTokenProgram: tools.knownAddress(ASSOCIATED_TOKEN_PROGRAM),
    systemProgram: tools.knownAddress(NOBODY),
    tokenPrograms: [tokenProgram, tools.knownAddress(TOKEN_2022_PROGRAM)],
    native: { address: tools.knownAddress(NATIVE_MINT), program: tokenProgram },
    nobody: tools.knownAddress(NOBODY),
    global: of('global'),
    globalVolume: of('global_volume_accumulator'),
    feeConfig: tools.derived(feeProgram, [seed('fee_config'), tools.addressBytes(program)]),
    eventAuthority: of('__event_authority'),
    curve: (mint) => of('bonding-curve', mint),
    creatorVault: (creator) => of('creator-vault', creator),
    sharingConfig: (mint) =>
      tools.derived(feeProgram, [seed('sharing-config'), tools.addressBytes(mint)]),
    userVolume: (user) => of('user_volume_accumulator', user),
  }
}
