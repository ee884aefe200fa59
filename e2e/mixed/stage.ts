import type { SandboxFile } from '@florin/cli/sandbox-file.ts'
import { until } from '@florin/server/kernel/until.ts'
import { openClient } from '../actors/client.ts'
import type { Client } from '../actors/client.ts'
import type { Wants } from './want.ts'

const FUND_SECONDS = 90

/** What every worker of a mixed run works with. */
export interface Stage {
  readonly info: SandboxFile
  readonly client: Client
  readonly wants: Wants
  /** Aborts when nothing new shall begin; what was begun goes on to its answer. */
  readonly enough: AbortSignal
  /** From the faucet, whole units; asked until it answers. */
  fund(address: string, asset: 'native' | 'USDC', amount: string): Promise<void>
}

export function openStage(info: SandboxFile, wants: Wants, enough: AbortSignal): Stage {
  const { evm, solana } = info.networks
  return {
    info,
    wants,
    enough,
    client: openClient(info.baseUrl, info.apiKeys.enterprise),
    fund: async (address, asset, amount) => {
      const { network } = address.startsWith('0x') ? evm : solana
      const body = JSON.stringify({ address, network, asset, amount })
      await until(
        `the faucet pays ${address}`,
        async () =>
          (await fetch(info.faucet.url, { method: 'POST', body }).catch(() => undefined))?.ok,
        { seconds: FUND_SECONDS },
      )
    },
  }
}
