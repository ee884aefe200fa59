import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/facilitator'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { aKey } from './batch-channel.ts'
import { EVM } from './seller.ts'
import { stockFacilitatorSigner, stockWallet } from './stock-facilitator.ts'
import type { World } from './world.ts'

/** What is presented, as JSON carries it. */
export interface Asked {
  readonly paymentPayload: Fields
  readonly paymentRequirements: Fields
}

/** What both said of one thing. */
export interface Said {
  readonly ours: Fields
  readonly theirs: Fields
}

/** The service over HTTP and the stock facilitator, on one chain. The stock one sends nothing. */
export function openJudges(world: World) {
  const never = async (): Promise<never> => {
    throw new Error('nothing is sent here')
  }
  const signer = {
    ...stockFacilitatorSigner(stockWallet(world.sandbox, aKey())),
    ...{ writeContract: never, sendTransaction: never },
  }
  const stock = new x402Facilitator().register(EVM, new BatchSettlementEvmScheme(signer))

  const judge = async (operation: 'verify' | 'settle', asked: Asked): Promise<Said> => {
    const { paymentPayload, paymentRequirements } = asked
    const theirs = stock[operation](
      paymentPayload as PaymentPayload,
      paymentRequirements as PaymentRequirements,
    ).then(
      (answer) => ({ ...answer }),
      () => ({ throws: true }),
    )
    const ours = world.client().post(`/x402/${operation}`, asked)
    return { ours: plain((await ours).body), theirs: plain(await theirs) }
  }
  return {
    verify: (asked: Asked) => judge('verify', asked),
    settle: (asked: Asked) => judge('settle', asked),
  }
}
export type Judges = ReturnType<typeof openJudges>

/** Without the words that are for people, and in one spelling of hex. */
function plain(answer: Fields): Fields {
  const { invalidMessage: _, errorMessage: __, ...others } = answer
  const spelled = JSON.stringify(others).replaceAll(/"0x[0-9a-fA-F]+"/g, (hex) => hex.toLowerCase())
  return JSON.parse(spelled) as Fields
}

/** In one word. */
export function wordOf(answer: Fields): string {
  if (answer['throws'] === true) return 'throws'
  if (answer['isValid'] === true || answer['success'] === true) return 'good'
  const reason = answer['invalidReason'] ?? answer['errorReason']
  const word = typeof reason === 'string' ? reason : JSON.stringify(answer)
  return word.replace('invalid_batch_settlement_evm_', '~')
}
