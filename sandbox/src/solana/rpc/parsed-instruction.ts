import {
  MEMO_PROGRAM,
  MEMO_V1_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  ASSOCIATED_TOKEN_PROGRAM,
} from '../chain/program-addresses.ts'
import type { RpcValue } from '../rpc-json.ts'
import { parsedAssociatedToken } from './parsed-associated-token.ts'
import { parsedSystem } from './parsed-system.ts'
import { parsedToken } from './parsed-token.ts'

export interface Parsed {
  readonly program: string
  readonly parsed: RpcValue
}

/** An instruction in words; undefined when its program is not known or its data is none of the known ones. */
export function parsedInstruction(
  program: string,
  accounts: readonly string[],
  data: Uint8Array,
): Parsed | undefined {
  try {
    switch (program) {
      case SYSTEM_PROGRAM:
        return named('system', parsedSystem(accounts, Buffer.from(data)))
      case TOKEN_PROGRAM:
        return named('spl-token', parsedToken(accounts, Buffer.from(data)))
      case TOKEN_2022_PROGRAM:
        return named('spl-token-2022', parsedToken(accounts, Buffer.from(data)))
      case ASSOCIATED_TOKEN_PROGRAM:
        return named('spl-associated-token-account', parsedAssociatedToken(accounts, data))
      case MEMO_PROGRAM:
      case MEMO_V1_PROGRAM:
        return { program: 'spl-memo', parsed: Buffer.from(data).toString('utf8') }
      default:
        return undefined
    }
  } catch (error) {
    // Data that ends too early.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** The kind of an instruction and what it says. */
export interface Said {
  readonly type: string
  readonly info: Readonly<Record<string, RpcValue>>
}

function named(program: string, parsed: Said | undefined): Parsed | undefined {
  return parsed === undefined ? undefined : { program, parsed: { ...parsed } }
}
