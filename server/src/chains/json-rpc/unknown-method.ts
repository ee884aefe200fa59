import type { NodeError } from './messages.ts'

const METHOD_NOT_FOUND = -32601
const UNKNOWN_METHOD =
  /method .*(?:not found|not supported|does not exist|not available|not allowed)|unsupported method|unknown method|not whitelisted/i

/** Whether a node says that it does not know a method. */
export function isUnknownMethod({ code, message }: NodeError): boolean {
  return code === METHOD_NOT_FOUND || UNKNOWN_METHOD.test(message)
}
