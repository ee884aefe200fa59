/** JSON with whole numbers of any size: amounts are u64 and go over the wire as plain digits. */
export type RpcValue = null | boolean | number | bigint | string | readonly RpcValue[] | RpcObject

export interface RpcObject {
  readonly [key: string]: RpcValue | undefined
}

declare global {
  interface JSON {
    rawJSON(text: string): object
  }
}

export function rpcText(value: RpcValue): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? JSON.rawJSON(part.toString()) : part,
  )
}
