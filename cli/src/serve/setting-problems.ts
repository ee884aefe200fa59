import type { Config } from '@florin/server/config.ts'
import type { Environment } from '@florin/server/data-directory.ts'
import { isExample, isLoopback } from './hosts.ts'
import type { Problem } from './problem.ts'
import { weaknessOfPassword } from './weak-secret.ts'

/** What is wrong with the settings by themselves: nothing outside is asked. */
export function settingProblems(config: Config, environment: Environment): readonly Problem[] {
  const isSet = (name: string) => (environment[name]?.trim() ?? '') !== ''
  const problems: Problem[] = []
  const add = (what: string, next: string) => problems.push({ what, next })

  if (!isSet('DATABASE_URL')) {
    add(
      'DATABASE_URL is not set, and production does not run on the embedded database.',
      'Set it to a PostgreSQL 18 of your own: postgresql://user:password@host:5432/database',
    )
  }
  if (!isSet('FLORIN_NETWORKS')) {
    add(
      'FLORIN_NETWORKS is not set, and production does not run on the sandbox.',
      'Copy networks.example.json, put your nodes in it, and name the copy here.',
    )
  }
  if (!isSet('FLORIN_KEY_FILE') && !isSet('FLORIN_KEY')) {
    add(
      'No key-encryption key: neither FLORIN_KEY_FILE nor FLORIN_KEY is set.',
      'Make one: (umask 077; openssl rand -hex 32 > master.key), name the file, and keep a copy apart from the database.',
    )
  }
  for (const name of [
    'FLORIN_KILL_POINT',
    'FLORIN_SANDBOX_FAULTS',
    'FLORIN_SANDBOX_APPROVALS',
  ] as const) {
    if (isSet(name) && environment[name] !== '0') {
      add(
        `${name} is set, and it is for the sandbox.`,
        'Remove it from the environment and from .env.',
      )
    }
  }
  return [...problems, ...doorProblems(config), ...databaseAddressProblems(config)]
}

/** How callers reach the service: in the clear only when that was said. */
function doorProblems(config: Config): readonly Problem[] {
  const { host, tls, trustedProxies, publicUrl, insecureHttp } = config
  const problems: Problem[] = []
  const add = (what: string, next: string) => problems.push({ what, next })
  const isOpen = tls === null && trustedProxies.none && !isLoopback(host)
  if (isOpen && !insecureHttp) {
    add(
      `FLORIN_HOST ${host} would serve plain HTTP to other machines, with API keys in the clear.`,
      'Set FLORIN_TLS_CERT and FLORIN_TLS_KEY, or FLORIN_TRUSTED_PROXIES when a proxy ends TLS, or FLORIN_HOST=127.0.0.1; FLORIN_INSECURE_HTTP=1 if it must be so.',
    )
  }
  if (insecureHttp && !isOpen) {
    add(
      'FLORIN_INSECURE_HTTP=1 contradicts the rest: nothing here is served in the clear.',
      'Remove it, so that it is not there when something changes.',
    )
  }
  if (!trustedProxies.none && publicUrl === null) {
    add(
      'FLORIN_TRUSTED_PROXIES is set and FLORIN_PUBLIC_URL is not: answers would name an address behind the proxy.',
      'Set FLORIN_PUBLIC_URL to what callers use, such as https://pay.your-domain.com',
    )
  }
  const address = publicUrl === null ? null : URL.parse(publicUrl)
  if (address !== null && isExample(address.hostname)) {
    add(`FLORIN_PUBLIC_URL names the example host ${address.hostname}.`, 'Put in your own.')
  }
  if (address?.protocol === 'http:' && !insecureHttp && !isLoopback(address.hostname)) {
    add('FLORIN_PUBLIC_URL begins with http://.', 'Callers need https://; say so here.')
  }
  return problems
}

function databaseAddressProblems({ databaseUrl }: Config): readonly Problem[] {
  const url = URL.parse(databaseUrl?.reveal() ?? '')
  if (url === null) return []
  const problems: Problem[] = []
  const weakness = weaknessOfPassword(url)
  if (weakness !== undefined) {
    problems.push({
      what: `The password in DATABASE_URL ${weakness}.`,
      next: 'Give the user another: ALTER ROLE ... PASSWORD with the output of openssl rand -hex 24.',
    })
  }
  if (isExample(url.hostname)) {
    problems.push({
      what: `DATABASE_URL names the example host ${url.hostname}.`,
      next: 'Put in the address of your own PostgreSQL.',
    })
  }
  return problems
}
