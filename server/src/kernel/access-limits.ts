/** Bounds of who comes in, and how often: a part of the table of limits. */
export const accessLimits = {
  liveKeysPerAccountMax: 20,
  /** Kept to be looked at: the ones that expired last. */
  expiredKeysPerAccountMax: 100,
  /** Of what an account has too many of, removed with each key that it makes. */
  expiredKeysDroppedMax: 1_000,
  keyNameCharactersMax: 100,
  /** How long an instance may believe what it read of a key: a deletion holds everywhere within it. */
  keyCacheMilliseconds: 500,
  keyCacheEntriesMax: 10_000,
  /** A key's last use is noted at most this often. */
  keyUseNotedSeconds: 60,
  /** A session ends when nothing was asked for so long, and anyway after so many hours. */
  sessionIdleSeconds: 1_800,
  sessionHours: 12,
  /** Requests of a session per window: a page asks for many things at once. */
  sessionRequestsPerWindow: 1_200,
  /** Sessions that an instance remembers for keyCacheMilliseconds, and how often their use is noted. */
  sessionCacheEntriesMax: 10_000,
  sessionSeenNotedSeconds: 60,
  /** Live ones of a person; one more ends the oldest. And how long those that ended are kept. */
  sessionsPerMemberMax: 50,
  sessionsKeptDays: 30,
  /** How long a link signs an operator in, and how long an invitation may be taken up. */
  operatorLinkSeconds: 900,
  invitationDays: 7,
  /** Attempts to sign in within a window, over all instances: from one address, about one email address; and options for passkeys. */
  signInWindowSeconds: 900,
  signInsPerAddress: 30,
  signInsPerEmail: 10,
  passkeyOptionsPerAddress: 120,
  /** Password hashes that are computed at once, 19 MiB each, and how many may wait; one more is refused. */
  passwordHashesMax: 2,
  passwordHashesWaitingMax: 32,
  passkeyChallengeSeconds: 120,
  passkeysPerMemberMax: 20,
  /** How long after a sign-in a passkey may be made, and by who has one a first password. */
  sessionFreshMinutes: 15,
  membersPerAccountMax: 100,
  /** The window in which requests are counted, by key and by address. */
  rateWindowSeconds: 60,
  /** Windows that an instance remembers at once; names beyond that share so many others. */
  rateWindowsMax: 100_000,
  rateWindowsSharedMax: 1_024,
  /** Requests per window from one address without a good key: keyless routes, unknown paths, failed authentications. */
  keylessRequestsPerAddress: 600,
  /** Files of the dashboard per window from one address: 200 first visits, which an office behind one address may well make. */
  filesPerAddress: 6_000,
  /** Look-ups per window of keys that turn out not to exist: from one address, and by one instance. */
  keyLookUpsPerAddress: 100,
  keyLookUpsPerInstance: 30_000,
  /** Further ones wait this long and share one query; so many at most, one more is refused. */
  keyBatchMilliseconds: 250,
  keyBatchMax: 1_000,
  /** Keys whose look-up nobody can crowd out, because they were good before. */
  knownKeysMax: 100_000,
  /** After this Redis counts as away; requests then do without it for the pause. */
  redisAnswerMilliseconds: 250,
  redisConnectMilliseconds: 1_000,
  redisPauseMilliseconds: 1_000,
} as const
