import type { Chain } from '../chains/chain.ts'
import type { Store } from '../store/postgres.ts'
import type { Finding, IdleWallet } from './books-store.ts'
import { idleWallets, newestPlaces, passedOver } from './books-store.ts'

const PLACES_MAX = 1_000
const WALLETS_MAX = 200
const LANES_MAX = 200
const HASHES_PER_CALL_MAX = 100

/**
 * Holds the database against the chain: one mined attempt per place at most, and the one that is recorded; what a lane has passed over is
 * used up; an idle wallet has what the books say, or more (a deposit that nobody has booked yet). Throws NodeFailure when the chain cannot be
 * asked.
 */
export async function findOnChain(store: Store, chain: Chain): Promise<readonly Finding[]> {
  const { network } = chain.config
  const findings: Finding[] = []
  const places = await store.inTransaction('service', (tx) => newestPlaces(tx, network, PLACES_MAX))
  const hashes = places.flatMap((place) => place.hashes)
  const mined = new Map<string, string | null>()
  for (let start = 0; start < hashes.length; start += HASHES_PER_CALL_MAX) {
    const asked = hashes.slice(start, start + HASHES_PER_CALL_MAX)
    const outcomes = await chain.outcomes(asked)
    outcomes.forEach((outcome, index) => {
      const hash = asked[index]
      if (outcome.state !== 'absent' && hash !== undefined) mined.set(hash, outcome.blockHash)
    })
  }
  for (const place of places) {
    const found = place.hashes.filter((hash) => mined.has(hash))
    const say = (invariant: string) => findings.push({ invariant, subject: `place ${place.id}` })
    if (found.length > 1) say('at most one attempt of a place is mined')
    if (place.state === 'dead' && found.length > 0) say('a dead place has nothing on chain')
    const where = mined.get(place.mined_hash ?? '')
    if (place.state === 'final' && where !== place.mined_block_hash && where !== null) {
      say('a final place is on chain where it was recorded')
    }
  }
  findings.push(...(await wronglyPassedOver(store, chain)))
  const idle = await store.inTransaction('service', (tx) => idleWallets(tx, network, WALLETS_MAX))
  for (const wallet of idle) {
    const { address, asset, booked } = wallet
    const parsed = chain.parseAddress(address)
    const profile = chain.config.assets.find((candidate) => candidate.asset === asset)
    if (parsed === undefined || profile === undefined) continue
    const { amounts } = await chain.balances(parsed, [profile])
    if ((amounts[0] ?? 0n) < BigInt(booked) && (await isStill(store, network, wallet))) {
      findings.push({
        invariant: 'an idle wallet has on chain what the books say',
        subject: `${address} ${asset}`,
      })
    }
  }
  return findings
}

/**
 * Lanes that have given a nonce away for nothing: no transaction behind it can ever be mined. One that was released, or whose key was imported
 * again, goes on from where the chain was then, and whoever used the key elsewhere has used up what lies between.
 */
async function wronglyPassedOver(store: Store, chain: Chain): Promise<readonly Finding[]> {
  const { network } = chain.config
  const findings: Finding[] = []
  const lanes = await store.inTransaction('service', (tx) => passedOver(tx, network, LANES_MAX))
  for (const { address, nonce } of lanes) {
    const parsed = chain.parseAddress(address)
    if (parsed === undefined) continue
    const { latest } = await chain.lanePosition(parsed)
    if (latest > BigInt(nonce)) continue
    const invariant = 'what a lane has passed over is used up on chain'
    findings.push({ invariant, subject: `${network} ${address} ${nonce}` })
  }
  return findings
}

/** Whether a wallet has been idle since its books were read: what it pays meanwhile, its chain may show, and they did not. */
async function isStill(
  store: Store,
  network: string,
  { address, asset, booked }: IdleWallet,
): Promise<boolean> {
  const now = await store.inTransaction('service', (tx) =>
    idleWallets(tx, network, WALLETS_MAX, address),
  )
  return now.some((each) => each.asset === asset && each.booked === booked)
}
