import type { Allowance } from './allowance.ts'
import { buyTool } from './buy-tool.ts'
import { searchTool, statusTool, walletsTool } from './look-tools.ts'
import { sendTool } from './send-tool.ts'
import type { Tool } from './tool.ts'

/** What an agent is offered. */
export function toolsOf({ maySend }: Allowance): readonly Tool[] {
  return [buyTool, ...(maySend ? [sendTool] : []), statusTool, walletsTool, searchTool]
}
