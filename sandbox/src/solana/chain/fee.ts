import {
  BUILTIN_PROGRAMS,
  COMPUTE_BUDGET_PROGRAM,
  ED25519_PROGRAM,
  SECP256K1_PROGRAM,
  SECP256R1_PROGRAM,
} from './program-addresses.ts'
import { instructionsOf, transactionConfig } from './compiled-message.ts'
import type { Message } from './compiled-message.ts'

const LAMPORTS_PER_SIGNATURE = 5_000n
const MICRO = 1_000_000n
const UNITS_MAX = 1_400_000n
const UNITS_PER_BUILTIN = 3_000n
const UNITS_PER_PROGRAM = 200_000n
const SET_UNIT_LIMIT = 2
const SET_UNIT_PRICE = 3
const SIGNATURE_PROGRAMS: ReadonlySet<string> = new Set([
  ED25519_PROGRAM,
  SECP256K1_PROGRAM,
  SECP256R1_PROGRAM,
])

/**
 * What landing costs the fee payer, in lamports: signatures and the priority that its compute budget asks for, or that a message of version 1 names, in
 * which instructions for the compute budget count for nothing. Source: SIMD-0385.
 */
export function feeOf(message: Message): bigint {
  const { header, staticAccounts } = message
  let signatures = BigInt(header.numSignerAccounts)
  let unitLimit: bigint | undefined
  let microLamportsPerUnit = 0n
  let usualUnits = 0n
  for (const { program: place, data } of instructionsOf(message)) {
    const program = staticAccounts[place] ?? ''
    const bytes = Buffer.from(data)
    usualUnits += BUILTIN_PROGRAMS.has(program) ? UNITS_PER_BUILTIN : UNITS_PER_PROGRAM
    if (SIGNATURE_PROGRAMS.has(program)) signatures += BigInt(bytes[0] ?? 0)
    if (program !== COMPUTE_BUDGET_PROGRAM) continue
    if (bytes[0] === SET_UNIT_LIMIT && bytes.length >= 5) unitLimit = BigInt(bytes.readUInt32LE(1))
    if (bytes[0] === SET_UNIT_PRICE && bytes.length >= 9) {
      microLamportsPerUnit = bytes.readBigUInt64LE(1)
    }
  }
  const config = transactionConfig(message)
  if (config !== undefined) return signatures * LAMPORTS_PER_SIGNATURE + (config.priorityFee ?? 0n)
  const asked = unitLimit ?? usualUnits
  const units = asked < UNITS_MAX ? asked : UNITS_MAX
  const priority = (units * microLamportsPerUnit + MICRO - 1n) / MICRO
  return signatures * LAMPORTS_PER_SIGNATURE + priority
}
