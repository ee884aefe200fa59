/** Asks the sandbox's faucet for native currency, in whole coins. */
export async function fillUp(
  url: string,
  { address, network, amount }: { address: string; network: string; amount: string },
  signal: AbortSignal,
): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ address, network, asset: 'native', amount }),
    signal,
  })
  if (!answer.ok) throw new Error(`the faucet answered ${answer.status}`)
}
