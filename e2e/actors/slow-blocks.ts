import type { SandboxHandle } from './sandbox.ts'

/** From now on the sandbox makes a block every so many seconds, as a public chain does. Gives the way back to its own pace. */
export async function slowBlocks(
  sandbox: Pick<SandboxHandle, 'fault' | 'clearFaults'>,
  seconds: number,
): Promise<() => Promise<void>> {
  await sandbox.fault({ kind: 'stop-blocks' })
  let making: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    making = making.then(() => sandbox.fault({ kind: 'mine', blocks: 1 }))
    // Told where it is awaited.
    making.catch(() => undefined)
  }, seconds * 1_000)
  return async () => {
    clearInterval(timer)
    await making
    await sandbox.clearFaults()
  }
}
