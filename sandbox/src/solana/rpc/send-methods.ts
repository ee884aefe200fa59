import type { JsonObject } from '../../host/json.ts'
import { transactionErrorText } from './error-text.ts'
import { viewFor, withContext } from './method.ts'
import type { Methods, RpcContext } from './method.ts'
import { addressAt, commitmentOf, configAt, textAt, wholeAt, wholeOf } from './params.ts'
import { invalidParams, RPC_CODE, RpcFailure } from './rpc-failure.ts'
import { simulate } from './simulation.ts'
import { readWireParam } from './wire-param.ts'
import type { WireTransaction } from '../chain/wire-transaction.ts'

const AIRDROP_LAMPORTS_MAX = 10_000 * 1_000_000_000

/** What changes the chain, and its rehearsal. */
export const SEND_METHODS: Methods = {
  sendTransaction(context, params) {
    const config = configAt(params, 1)
    const wire = readWireParam(textAt(params, 0), config)
    wholeOf(config['maxRetries'], 'maxRetries')
    if (config['skipPreflight'] !== true) preflight(context, wire, config)
    context.chain.submit(wire)
    return wire.signature
  },
  simulateTransaction(context, params) {
    const config = configAt(params, 1)
    const view = viewFor(context, config)
    const wire = readWireParam(textAt(params, 0), config)
    const verifySignatures = config['sigVerify'] === true
    const replaceBlockhash = config['replaceRecentBlockhash'] === true
    if (verifySignatures && replaceBlockhash) {
      throw invalidParams('sigVerify may not be used with replaceRecentBlockhash')
    }
    const wish = { view, verifySignatures, replaceBlockhash, config }
    if (verifySignatures) assertSigned(wire)
    const { error, value } = simulate(context, wire, wish)
    if (error === 'SignatureFailure') throw signatureFailure()
    return withContext(view, value)
  },
  async requestAirdrop(context, params) {
    const address = addressAt(params, 0)
    const lamports = wholeAt(params, 1)
    commitmentOf(configAt(params, 2))
    if (lamports < 1 || lamports > AIRDROP_LAMPORTS_MAX) {
      throw invalidParams(`Invalid params: lamports is from 1 to ${AIRDROP_LAMPORTS_MAX}`)
    }
    return await context.airdrop(address, BigInt(lamports))
  },
}

/** Refuses what would fail, with everything that is known about why. */
function preflight(context: RpcContext, wire: WireTransaction, config: JsonObject): void {
  const { preflightCommitment: commitment, minContextSlot } = config
  const view = viewFor(context, { commitment, minContextSlot })
  assertSigned(wire)
  const wish = { view, verifySignatures: true, replaceBlockhash: false, config: {} }
  const { error, value } = simulate(context, wire, wish)
  if (error === null) return
  if (error === 'SignatureFailure') throw signatureFailure()
  const text = `Transaction simulation failed: ${transactionErrorText(error)}`
  throw new RpcFailure(RPC_CODE.preflight, text, value)
}

function assertSigned({ isSigned }: WireTransaction): void {
  if (!isSigned) throw signatureFailure()
}

function signatureFailure(): RpcFailure {
  return new RpcFailure(RPC_CODE.signature, 'Transaction signature verification failure')
}
