import { baseUnits } from '@florin/wire/amount.ts'
import { expect, test } from 'vitest'
import type { Chain, TransactionHash, Verdict } from '../chains/chain.ts'
import type { AwaitedApproval, ExactAuthorization } from '../chains/exact.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { testNetwork } from '../payments/test-lane.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { ApprovalSponsor, Funded } from './approval-sponsor.ts'
import type { Intake } from './intake.ts'
import { openApprovalSteps, whyNotSubmitted } from './sponsor-approval.ts'

const accountId = newId(systemRandom, 'acct')
const asset = testNetwork(84_532).assets.find((known) => known.asset !== 'native')
const NETWORK = testNetwork(84_532).network
const APPROVAL: AwaitedApproval = {
  ...{ hash: '0xshown' as TransactionHash, raw: Uint8Array.of(1), nonce: 3n, height: 10n },
  ...{ lacks: 500n, isUnderpriced: false, fundingFee: 5n, settlementFee: 7n },
}
const HAS_MONEY = { ...APPROVAL, lacks: 0n }
const EARLIER = {
  ...{ hash: '0xearlier', payer: 'payer', asset: asset?.asset, raw: Buffer.from([2]) },
  ...{ nonce: '3', amount: '400', payment_id: null, sponsor_account_id: null },
}
/** Of another token, with the same nonce. */
const OTHERS = { ...EARLIER, hash: '0xother', asset: 'other' }

interface Scene {
  /** Rows by the names of statements; none of any other. */
  readonly rows?: Readonly<Record<string, object[]>>
  readonly funded?: Funded
  readonly verdict?: Verdict
  /** What the sponsor's wallet says when it is asked. */
  readonly refuses?: ApprovalSponsor['refuses']
}

/** A payment that awaits an approval, with everything beside it as a test says. */
function sceneOf({
  rows = {},
  funded = { kind: 'pending' },
  verdict = { kind: 'accepted' },
  refuses = async () => undefined,
}: Scene) {
  const heard: number[] = []
  let fundings = 0
  const known: Readonly<Record<string, object[]>> = {
    ...{ approval_store: [{}], ...rows },
  }
  // Rows are what the statement's own words say: here a test's.
  const tx = { query: async (name: string) => known[name] ?? [] } as Partial<Tx> as Tx
  const store: Partial<Store> = { inTransaction: async (_scope, work) => work(tx) }
  const config = {
    ...testNetwork(84_532),
    approvalSponsoring: { wallet: 'sponsor', amountMax: 1_000n, amountPerDay: 10_000n },
  }
  const chain: Chain = scriptedChain(config, {
    broadcast: async (raws) => {
      heard.push(...raws.map(([first = 0]) => first))
      return [verdict]
    },
  })
  const payment = { payer: 'payer', payTo: 'seller', asset, amount: baseUnits(500n) }
  const authorization = payment as Partial<ExactAuthorization> as ExactAuthorization
  const intake = { chain, authorization } as Partial<Intake> as Intake
  const deps = {
    ...{ store: store as Store, clock: systemClock, killPoint: () => undefined },
    approvals: {
      ...{ clock: systemClock, refuses, canGive: async () => true },
      fund: async () => {
        fundings += 1
        return funded
      },
    },
  }
  return { deps, intake, heard, fundings: () => fundings }
}

/** One step for a payer's approval, by somebody who does not wait: what is said, what a node heard, and how often money was asked for. */
async function step(awaited: AwaitedApproval, scene: Scene = {}) {
  const { deps, intake, heard, fundings } = sceneOf(scene)
  const order = { accountId, waitUntilMilliseconds: 0, over: new AbortController().signal }
  const notYet = await openApprovalSteps(deps, order, intake)(awaited)
  return { said: notYet?.reason, heard, fundings: fundings() }
}

const mined = (height: bigint): Scene => ({ funded: { kind: 'mined', height } })
const rejected = (reason: Extract<Verdict, { kind: 'rejected' }>['reason']): Scene => ({
  verdict: { kind: 'rejected', reason },
})

test.each<readonly [string, AwaitedApproval, Scene, Awaited<ReturnType<typeof step>>]>([
  ['money is on its way', APPROVAL, {}, { said: 'approval_pending', heard: [], fundings: 1 }],
  [
    'a node that does not have the block of the money',
    APPROVAL,
    mined(11n),
    { said: 'approval_pending', heard: [], fundings: 1 },
  ],
  [
    'money that is there is not asked for, and the bytes go out',
    HAS_MONEY,
    {},
    { said: 'approval_pending', heard: [1], fundings: 0 },
  ],
  [
    'a payer that still lacks something is judged by the nodes',
    APPROVAL,
    { ...mined(10n), ...rejected('insufficient_funds') },
    { said: 'erc20_approval_underfunded', heard: [1], fundings: 1 },
  ],
  [
    'a node that does not see the money yet says nothing final',
    HAS_MONEY,
    rejected('insufficient_funds'),
    { said: 'approval_pending', heard: [1], fundings: 0 },
  ],
  [
    'bytes that no node takes',
    HAS_MONEY,
    rejected('invalid'),
    { said: 'erc20_approval_broadcast_failed', heard: [1], fundings: 0 },
  ],
  [
    'a fee that is too low is refused before anything is stored or given',
    { ...APPROVAL, isUnderpriced: true },
    {},
    { said: 'erc20_approval_tx_fee_too_low', heard: [], fundings: 0 },
  ],
  [
    'a fee that has become too low is waited for, since a node has the bytes',
    { ...HAS_MONEY, isUnderpriced: true },
    { rows: { approval_may_be_out: [{}] }, ...rejected('fee_too_low') },
    { said: 'approval_pending', heard: [1], fundings: 0 },
  ],
  [
    'more than one approval may take',
    { ...APPROVAL, lacks: 1_001n },
    {},
    { said: 'erc20_approval_tx_fee_too_high', heard: [], fundings: 0 },
  ],
  [
    'a spent budget',
    APPROVAL,
    { rows: { gas_reserve_many: [{ subject: 'approvals', reserved: '10001' }] } },
    { said: 'gas_budget_spent', heard: [], fundings: 0 },
  ],
  [
    'an account whose own gas budget has no room to settle it',
    APPROVAL,
    { rows: { gas_reserved: [{ network: NETWORK, reserved: `${10n ** 30n}` }] } },
    { said: 'gas_budget_spent', heard: [], fundings: 0 },
  ],
  [
    'a seller whose address is of another account',
    APPROVAL,
    { rows: { receiver_account: [{ account_id: 'acct_other' }] } },
    { said: 'receiver_of_another_account', heard: [], fundings: 0 },
  ],
  [
    'an earlier approval of today that is over',
    APPROVAL,
    { rows: { approval_store: [], approval_funded: [{ ...EARLIER, nonce: '2' }] } },
    { said: 'gas_budget_spent', heard: [], fundings: 0 },
  ],
  [
    'an earlier approval for the same nonce goes out in its place',
    APPROVAL,
    { rows: { approval_store: [], approval_funded: [EARLIER] }, ...mined(10n) },
    { said: 'approval_pending', heard: [2], fundings: 1 },
  ],
  [
    'what another token was given for the same nonce is waited for: its bytes are its own payment’s',
    APPROVAL,
    { rows: { approval_store: [], approval_funded: [OTHERS] }, ...mined(10n) },
    { said: 'approval_pending', heard: [], fundings: 1 },
  ],
  [
    'a payer that has it, and lacks more for this one, is looked at anew',
    APPROVAL,
    {
      rows: { approval_store: [], approval_funded: [EARLIER], approval_release: [{}] },
      ...mined(10n),
    },
    { said: 'approval_pending', heard: [], fundings: 1 },
  ],
  [
    'what the sponsor refuses',
    APPROVAL,
    { funded: { kind: 'refused', reason: 'gas_budget_spent' } },
    { said: 'gas_budget_spent', heard: [], fundings: 1 },
  ],
])('%s', async (_, awaited, scene, expected) => {
  expect(await step(awaited, scene)).toEqual(expected)
})

test('a verification asks for what is stored: also whether anything came of the payment that gave it', async () => {
  const given = { ...EARLIER, payment_id: 'pay_1', sponsor_account_id: 'acct_1' }
  const asked: (string | undefined)[] = []
  const { deps, intake } = sceneOf({
    rows: { approval_funded: [given] },
    refuses: async (_, { funding, hash }) => {
      asked.push(hash, funding?.paymentId)
      return 'network_unavailable'
    },
  })
  expect(await whyNotSubmitted(deps, accountId, intake, APPROVAL)).toBe('network_unavailable')
  expect(asked).toEqual(['0xearlier', 'pay_1'])
})

test('who waits while a clock stands still or is set back is told to ask again', async () => {
  const { deps, intake, heard } = sceneOf({})
  let looks = 0
  const sleep = async () => void (looks += 1)
  const clock = { nowMilliseconds: () => 0, sleep }
  const order = { accountId, waitUntilMilliseconds: 25_000, over: new AbortController().signal }
  const approve = openApprovalSteps({ ...deps, clock }, order, intake)
  let notYet = await approve(HAS_MONEY)
  while (notYet === undefined && looks < 1_000) notYet = await approve(HAS_MONEY)
  expect(notYet).toEqual({ reason: 'approval_pending' })
  expect(heard).toEqual([1])
})
