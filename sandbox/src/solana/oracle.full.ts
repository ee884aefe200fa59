import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import { runScript } from './test-script.ts'
import { shapeOf } from './test-shape.ts'
import { surfpoolPackage } from './test-surfpool.ts'

/** Where surfpool 1.5.0 answers otherwise, and who is nearer to a cluster. */
const KNOWN: readonly RegExp[] = [
  // Surfpool leaves out of a rehearsal what clusters fill in.
  /^\.a (rehearsal|send [a-z ]+\.data)\.(fee|loadedAddresses|loadedAccountsDataSize|(pre|post)(Token)?Balances)\b/,
  // Surfpool shows the data that a transaction returned even when it returned none.
  /\.meta\.returnData\./,
  // Surfpool keeps the zeros at the end: "5.000000". Clusters say "5".
  /\.uiTokenAmount\.uiAmountString = /,
]

test.runIf(surfpoolPackage() !== undefined)(
  'the same script sees the same on another implementation of a node',
  { timeout: 120_000 },
  async () => {
    const other = fork(fileURLToPath(new URL('test-surfpool.ts', import.meta.url)), [], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const sandbox = await startSandbox()
    try {
      const [urls] = (await once(other, 'message')) as Parameters<typeof runScript>
      const [ours, theirs] = await Promise.all([runScript(sandbox.solana), runScript(urls)])
      const unexpected = (lines: readonly string[]): readonly string[] =>
        lines.filter((line) => !KNOWN.some((known) => known.test(line)))
      expect(unexpected(shapeOf(ours))).toEqual(unexpected(shapeOf(theirs)))
      expect(unexpected(shapeOf(ours)).length).toBeGreaterThan(250)
    } finally {
      other.kill('SIGKILL')
      await sandbox.stop()
    }
  },
)
