import { createHash } from 'node:crypto'
import { Refusal } from '@florin/wire/errors.ts'
import type { PasskeyAssertionBody, PasskeyBody } from '@florin/wire/session.ts'
import type { Static } from 'typebox'
import type { Actor } from '../audit/entry.ts'
import { newId } from '../kernel/id.ts'
import type { MemberId, SessionId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { beginSession } from './begin-session.ts'
import { insertChallenge, takeChallenge } from './challenge-store.ts'
import type { PeopleDeps } from './deps.ts'
import { findMember, lockMember } from './member-store.ts'
import { insertPasskey, listPasskeys, lockPasskey, markPasskeyUsed } from './passkey-store.ts'
import type { PasskeyFacts } from './passkey-store.ts'
import { relyingPartyOf } from './relying-party.ts'
import type { RelyingParty } from './relying-party.ts'
import { holdSession } from './session-ends-store.ts'
import { signedOut } from './sessions.ts'
import type { BegunSession } from './sessions.ts'
import type { Visit } from './visit.ts'
import { webAuthn } from './webauthn.ts'

const CHALLENGE_BYTES = 32
const CHALLENGE_MILLISECONDS = limits.passkeyChallengeSeconds * 1000
const NAME = 'Florin'
/** EdDSA, ES256, RS256: what authenticators have. Source: the COSE registry of algorithms. */
const ALGORITHMS = [-8, -7, -257]

/** What a browser is asked in order to sign in. Nobody is named: the authenticator offers what it has. */
export async function passkeySignInOptions(deps: PeopleDeps, visit: Visit): Promise<object> {
  const { id } = demandParty(deps)
  await deps.throttle.countOptions(visit.address)
  const { generateAuthenticationOptions } = await webAuthn()
  return await generateAuthenticationOptions({
    rpID: id,
    challenge: await newChallenge(deps, null),
    userVerification: 'required',
    timeout: CHALLENGE_MILLISECONDS,
  })
}

/** Opens a session by what the browser answered. Whatever is wrong with it is one and the same Refusal UNAUTHORIZED. */
export async function signInWithPasskey(
  deps: PeopleDeps,
  response: Static<typeof PasskeyAssertionBody>['response'],
  visit: Visit,
): Promise<BegunSession> {
  const { clock, store, throttle } = deps
  const party = demandParty(deps)
  const takeBack = await throttle.count({ address: visit.address })
  await spendChallenge(deps, response.response.clientDataJSON, null)
  const { verifyAuthenticationResponse } = await webAuthn()
  const begun = await store.inTransaction('service', async (tx) => {
    const passkey = await lockPasskey(tx, Buffer.from(response.id, 'base64url'))
    if (passkey === undefined) throw wrongPasskey()
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id: response.id, rawId: response.rawId, response: response.response, ...UNUSED },
      expectedChallenge: () => true,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id: response.id,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.counter,
      },
    }).catch((error: unknown) => {
      throw wrongPasskey(error)
    })
    if (!verified) throw wrongPasskey()
    const now = clock.nowMilliseconds()
    await markPasskeyUsed(tx, passkey.passkeyId, authenticationInfo.newCounter, now)
    return await beginSession(deps, tx, { memberId: passkey.memberId, method: 'passkey', visit })
  })
  await takeBack()
  return begun
}

/** What a browser is asked in order to make a passkey for somebody who is signed in. */
export async function passkeyOptions(deps: PeopleDeps, memberId: MemberId): Promise<object> {
  const { store } = deps
  const { id } = demandParty(deps)
  const { member, known } = await store.inTransaction('service', async (tx) => ({
    member: await findMember(tx, memberId),
    known: await listPasskeys(tx, memberId),
  }))
  if (member === undefined) throw new Error('a passkey for nobody')
  const { generateRegistrationOptions } = await webAuthn()
  return await generateRegistrationOptions({
    rpName: NAME,
    rpID: id,
    userName: member.email ?? member.name,
    userDisplayName: member.name,
    userID: new Uint8Array(Buffer.from(memberId)),
    challenge: await newChallenge(deps, memberId),
    timeout: CHALLENGE_MILLISECONDS,
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: known.map(({ credentialId }) => ({
      id: Buffer.from(credentialId).toString('base64url'),
    })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** Keeps the passkey that the browser made. Throws Refusal INVALID_PARAMETERS for anything else, UNAUTHORIZED for an ended session. */
export async function addPasskey(
  deps: PeopleDeps,
  {
    memberId,
    sessionId,
    name,
    response,
    actor,
  }: {
    readonly memberId: MemberId
    readonly sessionId: SessionId
    readonly name: string
    readonly response: Static<typeof PasskeyBody>['response']
    readonly actor: Actor
  },
): Promise<PasskeyFacts> {
  const { audit, clock, random, store } = deps
  const party = demandParty(deps)
  const { clientDataJSON, attestationObject } = response.response
  await spendChallenge(deps, clientDataJSON, memberId)
  const { verifyRegistrationResponse } = await webAuthn()
  const verified = await verifyRegistrationResponse({
    response: {
      id: response.id,
      rawId: response.rawId,
      response: { clientDataJSON, attestationObject },
      ...UNUSED,
    },
    expectedChallenge: () => true,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch((error: unknown) => {
    throw badPasskey(error)
  })
  if (!verified.verified) throw badPasskey()
  const { credential, credentialBackedUp } = verified.registrationInfo
  const passkey = {
    passkeyId: newId(random, 'psk'),
    memberId,
    name,
    credentialId: Buffer.from(credential.id, 'base64url'),
    publicKey: credential.publicKey,
    counter: credential.counter,
    transports: response.response.transports ?? [],
    synced: credentialBackedUp,
    createdAtMilliseconds: clock.nowMilliseconds(),
    lastUsedAtMilliseconds: null,
  }
  await store.inTransaction('service', async (tx) => {
    await lockMember(tx, memberId)
    // It may have been ended meanwhile, by its person or by a new password, and must not leave a way in behind.
    if (!(await holdSession(tx, sessionId))) throw signedOut()
    if ((await listPasskeys(tx, memberId)).length >= limits.passkeysPerMemberMax) {
      throw new Refusal('INVALID_PARAMETERS', {
        details: {
          response: `you have ${limits.passkeysPerMemberMax} passkeys, the most there may be`,
        },
      })
    }
    if (!(await insertPasskey(tx, passkey))) throw badPasskey()
    const object = passkey.passkeyId
    const details = { name }
    await audit.note(tx, { accountId: null, actor, action: 'passkey.added', object, details })
  })
  return passkey
}

/** Nothing of an extension decides anything here. */
const UNUSED = { clientExtensionResults: {}, type: 'public-key' } as const

async function newChallenge(
  { clock, random, store }: PeopleDeps,
  memberId: MemberId | null,
): Promise<Uint8Array<ArrayBuffer>> {
  const challenge = new Uint8Array(random.bytes(CHALLENGE_BYTES))
  const expiresAt = clock.nowMilliseconds() + CHALLENGE_MILLISECONDS
  await store.inTransaction('service', (tx) =>
    insertChallenge(
      tx,
      digestOf(Buffer.from(challenge).toString('base64url')),
      memberId,
      expiresAt,
    ),
  )
  return challenge
}

/** In a transaction of its own: a challenge is used up whether or not what was signed is any good. */
async function spendChallenge(
  { clock, store }: PeopleDeps,
  clientDataText: string,
  memberId: MemberId | null,
): Promise<void> {
  const challenge = challengeIn(clientDataText)
  const isOurs =
    challenge !== undefined &&
    (await store.inTransaction('service', (tx) =>
      takeChallenge(tx, digestOf(challenge), memberId, clock.nowMilliseconds()),
    ))
  if (!isOurs) throw memberId === null ? wrongPasskey() : badPasskey()
}

/** What was signed about, as the browser says; its signature is checked afterwards. */
function challengeIn(clientDataText: string): string | undefined {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataText, 'base64url').toString())
    const challenge: unknown =
      typeof data === 'object' && data !== null ? Reflect.get(data, 'challenge') : undefined
    return typeof challenge === 'string' ? challenge : undefined
  } catch {
    return undefined
  }
}

function digestOf(challenge: string): Uint8Array {
  return createHash('sha256').update(challenge).digest()
}

function demandParty({ baseUrl }: PeopleDeps): RelyingParty {
  const party = relyingPartyOf(baseUrl())
  if (party === undefined) {
    throw new Refusal('FORBIDDEN', {
      message: 'This service is known by an address of numbers, where there are no passkeys.',
      details: { baseUrl: 'needs a name; set FLORIN_PUBLIC_URL' },
    })
  }
  return party
}

function wrongPasskey(cause?: unknown): Refusal {
  return new Refusal('UNAUTHORIZED', { message: 'This passkey does not sign anybody in.', cause })
}

function badPasskey(cause?: unknown): Refusal {
  return new Refusal('INVALID_PARAMETERS', {
    details: { response: 'is not a new passkey for this session' },
    cause,
  })
}
