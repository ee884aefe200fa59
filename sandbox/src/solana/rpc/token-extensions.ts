/** By type number; what is not here is shown as unparseable, as nodes do with what they do not know. */
const EXTENSIONS: Readonly<Record<number, string>> = {
  1: 'transferFeeConfig',
  2: 'transferFeeAmount',
  3: 'mintCloseAuthority',
  6: 'defaultAccountState',
  7: 'immutableOwner',
  8: 'memoTransfer',
  9: 'nonTransferable',
  10: 'interestBearingConfig',
  11: 'cpiGuard',
  12: 'permanentDelegate',
  13: 'nonTransferableAccount',
  14: 'transferHook',
  15: 'transferHookAccount',
  18: 'metadataPointer',
  19: 'tokenMetadata',
  25: 'scaledUiAmountConfig',
  26: 'pausableConfig',
  27: 'pausableAccount',
}

/** The name of a Token-2022 extension. */
export function extensionName(type: number): string {
  return EXTENSIONS[type] ?? 'unparseableExtension'
}
