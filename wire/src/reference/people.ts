import type { OperationReference } from './operation-reference.ts'

const NOW = 1790000000000
const ACCOUNT = 'acct_5tYuIp2sDfGhJk8zXcVbNm'
const MEMBER = 'mem_7kLpQw3eRtYuSdFgHjZxCv'
const SESSION = 'ses_9bNmQwErTy2uSdFgHjKpLz'
const KEY = 'key_3aSdFgHjKpLzXcVbNmQwEr'
const PASSKEY = 'psk_6pLkJhGfDsAzXcVbNmQwEr'

const account = { accountId: ACCOUNT, name: 'Shop', role: 'owner', plan: 'premium' }
const session = {
  sessionId: SESSION,
  member: {
    memberId: MEMBER,
    email: 'ada@shop.example',
    name: 'Ada',
    hasPassword: true,
    passkeys: 1,
  },
  operator: false,
  accounts: [account],
  selected: account,
  csrfToken: 'Zm9yIHBhZ2VzIG9mIHRoaXMgYWRkcmVzcyBvbmx5ISE',
  signedInAt: NOW,
  expiresAt: NOW + 43_200_000,
  idleExpiresAt: NOW + 1_800_000,
  sandbox: false,
  baseUrl: 'https://pay.example',
}

export const signIn: OperationReference = {
  title: 'Sign in',
  about: [
    'For the page of this service. The answer sets the cookie `__Host-florin_session`; from then on it opens what the role in the selected account allows. Every request that is not a GET also carries `csrfToken` as `X-CSRF-Token`.',
    'An unknown email address and a wrong password are the same answer. Attempts are limited by address and by email address, over all instances.',
  ],
  body: { email: 'ada@shop.example', password: 'a long sentence of your own' },
  answer: session,
}
export const passkeySignInOptions: OperationReference = {
  title: 'Ask for a passkey',
  about: ['Hand `options` to the browser. The challenge is good once, for two minutes.'],
  answer: {
    options: {
      rpId: 'pay.example',
      challenge: 'YSBjaGFsbGVuZ2UgdGhhdCBpcyB1c2VkIG9ubHkgb25jZQ',
      timeout: 120_000,
      userVerification: 'required',
    },
  },
}
export const passkeySignIn: OperationReference = {
  title: 'Sign in with a passkey',
  about: ['Takes what the browser made of the options.'],
  body: {
    response: {
      id: 'Y3JlZGVudGlhbA',
      rawId: 'Y3JlZGVudGlhbA',
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
        authenticatorData: 'YXV0aGVudGljYXRvcg',
        signature: 'c2lnbmF0dXJl',
      },
    },
  },
  answer: session,
}
export const getSession: OperationReference = {
  title: 'Who is signed in',
  about: ['Also the token that further requests carry. 401 when nobody is signed in.'],
  answer: session,
}
export const selectAccount: OperationReference = {
  title: 'Choose an account',
  about: [
    'A session is about one account. Choosing gives it a new cookie and a new `csrfToken`, and the role that this person has there now.',
  ],
  body: { accountId: ACCOUNT },
  answer: session,
}
export const signOut: OperationReference = {
  title: 'Sign out',
  about: ['Ends the session on every instance within a second, its sockets too.'],
  answer: { signedOutAt: NOW },
}
export const listSessions: OperationReference = {
  title: 'List your sessions',
  about: ['The live ones, newest first.'],
  answer: {
    sessions: [
      {
        sessionId: SESSION,
        current: true,
        method: 'passkey',
        address: '198.51.100.7',
        userAgent: 'Mozilla/5.0',
        createdAt: NOW,
        lastSeenAt: NOW,
        expiresAt: NOW + 43_200_000,
      },
    ],
  },
}
export const endSession: OperationReference = {
  title: 'End a session',
  about: ['One of your own, on every instance within a second.'],
  params: { sessionId: SESSION },
  answer: { sessionId: SESSION, endedAt: NOW },
}
export const changeProfile: OperationReference = {
  title: 'Change your profile',
  about: ['What is left out stays.'],
  body: { name: 'Ada', email: 'ada@shop.example' },
  answer: { memberId: MEMBER, name: 'Ada', email: 'ada@shop.example' },
}
export const setPassword: OperationReference = {
  title: 'Set your password',
  about: [
    'Whoever has one must give it. Every other session of yours ends, and this one gets a new cookie and a new `csrfToken`.',
  ],
  body: { password: 'another long sentence', currentPassword: 'a long sentence of your own' },
  answer: session,
}
export const passkeyOptions: OperationReference = {
  title: 'Begin a passkey',
  about: ['Hand `options` to the browser. The challenge is good once, for two minutes.'],
  answer: {
    options: {
      rp: { name: 'Florin', id: 'pay.example' },
      challenge: 'YSBjaGFsbGVuZ2UgdGhhdCBpcyB1c2VkIG9ubHkgb25jZQ',
      user: { id: 'bWVtYmVy', name: 'ada@shop.example', displayName: 'Ada' },
    },
  },
}
const passkey = {
  passkeyId: PASSKEY,
  name: 'Laptop',
  synced: false,
  createdAt: NOW,
  lastUsedAt: null,
}
export const addPasskey: OperationReference = {
  title: 'Keep a passkey',
  about: ['Takes what the browser made of the options.'],
  body: {
    name: 'Laptop',
    response: {
      id: 'Y3JlZGVudGlhbA',
      rawId: 'Y3JlZGVudGlhbA',
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
        attestationObject: 'YXR0ZXN0YXRpb24',
      },
    },
  },
  answer: passkey,
}
export const listPasskeys: OperationReference = {
  title: 'List your passkeys',
  about: ['Oldest first.'],
  answer: { passkeys: [passkey] },
}
export const deletePasskey: OperationReference = {
  title: 'Delete a passkey',
  about: ['It signs nobody in any more. Sessions that it opened go on.'],
  params: { passkeyId: PASSKEY },
  answer: { passkeyId: PASSKEY, deletedAt: NOW },
}

const member = {
  memberId: MEMBER,
  email: 'ada@shop.example',
  name: 'Ada',
  role: 'owner',
  joinedAt: NOW,
  lastSeenAt: NOW,
  invitedUntil: null,
}
const invited = {
  memberId: 'mem_2cVbNmQwErTyUpAsDfGhJk',
  email: 'bob@shop.example',
  name: 'bob',
  role: 'developer',
  joinedAt: null,
  lastSeenAt: null,
  invitedUntil: NOW + 604_800_000,
}
export const listMembers: OperationReference = {
  title: 'List members',
  about: ['Those who were invited and have not come yet are among them.'],
  answer: { members: [member, invited] },
}
export const inviteMember: OperationReference = {
  title: 'Invite a member',
  about: [
    'Hand `link` over yourself: it is shown this once, and is good once, for seven days. It signs in somebody who has no other way in yet; everybody else signs in first and then opens it. Inviting again makes a new link.',
  ],
  body: { email: invited.email, role: invited.role },
  answer: {
    ...invited,
    link: 'https://pay.example/signin#link=bm90IGEgdG9rZW4sIGp1c3QgYW4gZXhhbXBsZSEhISE',
  },
}
export const changeMember: OperationReference = {
  title: 'Change a role',
  about: [
    'A lower role holds within a second. A higher one counts from the next sign-in, or the next PUT /session/account. The only owner stays one.',
  ],
  params: { memberId: invited.memberId },
  body: { role: 'viewer' },
  answer: { ...invited, role: 'viewer' },
}
export const removeMember: OperationReference = {
  title: 'Remove a member',
  about: ['Within a second on every instance. The only owner stays.'],
  params: { memberId: invited.memberId },
  answer: { memberId: invited.memberId, removedAt: NOW },
}

const key = {
  keyId: KEY,
  name: 'till',
  lastFour: 'q3Zd',
  mode: 'live',
  plan: 'premium',
  scopes: ['read', 'write'],
  createdAt: NOW,
  lastUsedAt: null,
  expiresAt: null,
}
const text = 'florin_live_an-example-and-no-key_q3Zd'
export const listKeys: OperationReference = {
  title: 'List keys',
  about: [
    'Without the keys themselves: those are stored by nobody. Of those that have expired, the last 100.',
  ],
  answer: { keys: [key], liveMax: 20 },
}
export const createKey: OperationReference = {
  title: 'Make a key',
  about: [
    'With the plan of the account, or of the key that asks. Keep `key`: it is shown this once.',
  ],
  body: { name: key.name, scopes: key.scopes },
  answer: { ...key, key: text },
}
export const rotateKey: OperationReference = {
  title: 'Rotate a key',
  about: [
    'Makes a key with the same name, plan and scopes. The old one lives on until you delete it, or for `previousValidSeconds`.',
  ],
  params: { keyId: KEY },
  body: { previousValidSeconds: 86_400 },
  answer: {
    ...key,
    keyId: 'key_8zXcVbNmQwErTyUpAsDfGh',
    key: text,
    previous: { ...key, expiresAt: NOW + 86_400_000 },
  },
}
export const deleteKey: OperationReference = {
  title: 'Delete a key',
  about: ['For ever, on every instance within a second; its sockets are closed.'],
  params: { keyId: KEY },
  answer: { keyId: KEY, deletedAt: NOW },
}
export const listAudit: OperationReference = {
  title: 'Read the audit log',
  about: [
    'Every change of members, keys, sessions, wallets, policies, addresses and webhooks, newest first. Nobody can change it.',
  ],
  query: { limit: 50 },
  answer: {
    entries: [
      {
        auditId: 'aud_4fGhJkLpZxCvBnMqWeRtYu',
        at: NOW,
        actor: 'member',
        actorId: MEMBER,
        actorName: 'ada@shop.example',
        action: 'key.created',
        object: KEY,
        address: '198.51.100.7',
        requestId: 'req_1qAzXsWeDcVfRtGbNhYuJm',
        details: { name: 'till', scopes: ['read', 'write'], lastFour: 'q3Zd' },
      },
    ],
    nextCursor: null,
  },
}
