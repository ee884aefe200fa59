import type { Service } from '@florin/server/app.ts'
import type { Config } from '@florin/server/config.ts'
import type { Clock } from '@florin/server/kernel/clock.ts'
import type { Log } from '@florin/server/kernel/log.ts'
import { readTlsFiles } from './tls-files.ts'

/** Reads the certificate again on SIGHUP; one that is not fit is named in the log, and the old one stays. Gives the way to stop. */
export function renewTlsOnHangUp({
  config: { tls, publicUrl, trustedProxies },
  service,
  clock,
  log,
}: {
  config: Config
  service: Pick<Service, 'renewTls'>
  clock: Clock
  log: Log
}): () => void {
  const renew = async (): Promise<void> => {
    if (tls === null) {
      log.info({}, 'SIGHUP: there is no certificate to read again')
      return
    }
    const now = clock.nowMilliseconds()
    const { identity, problems } = await readTlsFiles(tls, {
      publicUrl: trustedProxies.none ? publicUrl : null,
      now,
    })
    if (identity === undefined) {
      const reason = problems.map(({ what }) => what).join(' ')
      log.error({ reason }, 'SIGHUP: the new certificate is not fit, the old one stays')
      return
    }
    service.renewTls(identity)
    log.info({}, 'SIGHUP: the certificate was read again')
  }
  const onHangUp = () => {
    void renew().catch((error: unknown) => log.error({ err: error }, 'SIGHUP: a bug'))
  }
  process.on('SIGHUP', onHangUp)
  return () => process.off('SIGHUP', onHangUp)
}
