import multicall3 from '../../contracts/artifacts/Multicall3.json' with { type: 'json' }
import sandboxBatchSettlement from '../../contracts/artifacts/SandboxBatchSettlement.json' with { type: 'json' }
import sandboxCurrencyToken from '../../contracts/artifacts/SandboxCurrencyToken.json' with { type: 'json' }
import sandboxErc3009Collector from '../../contracts/artifacts/SandboxErc3009Collector.json' with { type: 'json' }
import sandboxExactProxy from '../../contracts/artifacts/SandboxExactProxy.json' with { type: 'json' }
import sandboxOldToken from '../../contracts/artifacts/SandboxOldToken.json' with { type: 'json' }
import sandboxPermit2 from '../../contracts/artifacts/SandboxPermit2.json' with { type: 'json' }
import sandboxPermit2Collector from '../../contracts/artifacts/SandboxPermit2Collector.json' with { type: 'json' }
import sandboxToken from '../../contracts/artifacts/SandboxToken.json' with { type: 'json' }
import sandboxUptoProxy from '../../contracts/artifacts/SandboxUptoProxy.json' with { type: 'json' }
import sandboxUsdc from '../../contracts/artifacts/SandboxUSDC.json' with { type: 'json' }

/** Creation code of the committed contracts, 0x hex. */
export const MULTICALL3_CREATION = asHex(multicall3.bytecode)
export const SANDBOX_BATCH_SETTLEMENT_CREATION = asHex(sandboxBatchSettlement.bytecode)
export const SANDBOX_CURRENCY_TOKEN_CREATION = asHex(sandboxCurrencyToken.bytecode)
export const SANDBOX_ERC3009_COLLECTOR_CREATION = asHex(sandboxErc3009Collector.bytecode)
export const SANDBOX_EXACT_PROXY_CREATION = asHex(sandboxExactProxy.bytecode)
export const SANDBOX_OLD_TOKEN_CREATION = asHex(sandboxOldToken.bytecode)
export const SANDBOX_PERMIT2_CREATION = asHex(sandboxPermit2.bytecode)
export const SANDBOX_PERMIT2_COLLECTOR_CREATION = asHex(sandboxPermit2Collector.bytecode)
export const SANDBOX_TOKEN_CREATION = asHex(sandboxToken.bytecode)
export const SANDBOX_UPTO_PROXY_CREATION = asHex(sandboxUptoProxy.bytecode)
export const SANDBOX_USDC_CREATION = asHex(sandboxUsdc.bytecode)

function asHex(text: string): `0x${string}` {
  return `0x${text.replace(/^0x/, '')}`
}
