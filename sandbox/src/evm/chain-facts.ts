/** What the EVM sandbox claims to be: Base Sepolia's id and addresses, so that stock clients need no setting. */
export const EVM_CHAIN_ID = 84_532
export const EVM_NETWORK = `eip155:${EVM_CHAIN_ID}`
export const USDC_ADDRESS = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
export const USDC_DECIMALS = 6
export const NATIVE_DECIMALS = 18
export const MULTICALL3_ADDRESS = '0xcA11bde05977b3631167028862bE2a173976CA11'
